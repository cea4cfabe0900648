import { dataVolumes } from "../components/services.ts";
import { isEncryptionKey } from "../components/shared/encryption-keys.ts";
import { UserError } from "../contract/errors.ts";
import { shownFile } from "./lifecycle/stack-file.ts";
import { changeHint } from "./make-hints.ts";
import {
  deletes,
  isIrreplaceable,
  nameOf,
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
  if (volumes.length > 0) throw losesData(volumes, switchesOf(deletionsOfData(preview)), stack);
  if (lost.length > 0) throw losesKeys(lost, stack);
}

/** Returns settings that would keep the services whose volumes are deleted. */
const switchesOf = (steps: readonly Step[]): string[] => [
  ...new Set(
    steps.filter(deletes).flatMap((step) => dataVolumes.get(nameOf(step))?.keptWith ?? []),
  ),
];

const losesData = (
  volumes: readonly string[],
  switches: readonly string[],
  stack: string,
): UserError =>
  new UserError(
    `This change would delete the data in ${volumes.join(", ")}${switches.length > 0 ? `, kept with ${switches.join(", ")}` : ""}. Nothing was changed`,
    `${changeHint(stack, "undo the change")}, start another stack with the changed file: make up STACK=NAME CONFIG=${shownFile(stack)} OFFSET=1000, or delete all data of this stack: make clean STACK=${stack}`,
  );

const losesKeys = (keys: readonly string[], stack: string): UserError =>
  new UserError(
    `This change would delete the encryption keys ${keys.join(", ")}, without which encrypted data cannot be read. Nothing was changed`,
    changeHint(
      stack,
      "set bi.secretKeyGeneration and scheduler.fernetKeyGeneration to at least the numbers at the end of these names",
    ),
  );
