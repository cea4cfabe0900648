import { LABELS } from "./names.ts";
import { readOwner } from "./state.ts";

/** A label as the container provider takes it. */
export interface Label {
  readonly label: string;
  readonly value: string;
}

/** Labels of everything the stack owns: what it is found by, and whose it is. */
export const ownership = (stack: string): Label[] => [
  { label: LABELS.project, value: stack },
  { label: LABELS.owner, value: readOwner() },
];
