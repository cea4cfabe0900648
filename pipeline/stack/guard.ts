import { UserError } from "../../contract/errors.ts";
import { deletes, isIrreplaceable, type Preview, physicalName, replaces } from "./preview.ts";

/** Names of the irreplaceable volumes that a plan would delete or replace. */
export const lostVolumes = (preview: Preview): string[] => [
  ...new Set(
    preview.steps
      .filter((step) => isIrreplaceable(step) && (deletes(step) || replaces(step)))
      .map(physicalName),
  ),
];

/** @throws UserError naming what would be lost: only `make clean` may delete data */
export function refuseLoss(preview: Preview, stack: string): void {
  const lost = lostVolumes(preview);
  if (lost.length === 0) return;
  throw new UserError(
    `This change would delete the data in ${lost.join(", ")}. Nothing was changed.`,
    `undo the change, or delete all data of the stack on purpose: make clean STACK=${stack}`,
  );
}
