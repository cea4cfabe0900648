import { isEncryptionKey } from "../components/secrets.ts";
import { UserError } from "../contract/errors.ts";
import { shownFile } from "./lifecycle/stack-file.ts";
import { changeHint } from "./make-hints.ts";
import {
  deletes,
  isIrreplaceable,
  type Preview,
  physicalName,
  replaces,
  type Step,
} from "./preview.ts";

const deletionsOfData = (preview: Preview): Step[] =>
  preview.steps.filter((step) => isIrreplaceable(step) && (deletes(step) || replaces(step)));

export const lostData = (preview: Preview): string[] => [
  ...new Set(deletionsOfData(preview).map(physicalName)),
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
    `${changeHint(stack, "undo the change")}, start another stack with the changed file: make up STACK=NAME CONFIG=${shownFile(stack)} OFFSET=1000, or delete all data of this stack: make clean STACK=${stack}`,
  );

const losesKeys = (keys: readonly string[], stack: string): UserError =>
  new UserError(
    `This change would delete the encryption keys ${keys.join(", ")}, without which encrypted data cannot be read. Nothing was changed`,
    changeHint(
      stack,
      "set superset.secretKeyGeneration and airflow.fernetKeyGeneration to at least the numbers at the end of these names",
    ),
  );
