import { isEncryptionKey } from "../components/shared/encryption-keys.ts";
import { UserError } from "../contract/errors.ts";
import { deletes, isIrreplaceable, type Preview, physicalName, replaces } from "./preview.ts";

export const lostData = (preview: Preview): string[] => [
  ...new Set(
    preview.steps
      .filter((step) => isIrreplaceable(step) && (deletes(step) || replaces(step)))
      .map(physicalName),
  ),
];

export function refuseLoss(preview: Preview, stack: string): void {
  const lost = lostData(preview);
  const volumes = lost.filter((name) => !isEncryptionKey(name));
  if (volumes.length > 0) throw losesData(volumes, stack);
  if (lost.length > 0) throw losesKeys(lost, stack);
}

const losesData = (volumes: readonly string[], stack: string): UserError =>
  new UserError(
    `This change would delete the data in ${volumes.join(", ")}. Nothing was changed`,
    `undo the change, or delete all data of the stack: make clean STACK=${stack}`,
  );

const losesKeys = (keys: readonly string[], stack: string): UserError =>
  new UserError(
    `This change would delete the encryption keys ${keys.join(", ")}, without which encrypted data cannot be read. Nothing was changed`,
    `in Pulumi.${stack}.yaml, set bi.secretKeyGeneration and scheduler.fernetKeyGeneration to at least the numbers at the end of these names`,
  );
