import { LABELS } from "./names.ts";

/** A label as the container provider takes it. */
export interface Label {
  readonly label: string;
  readonly value: string;
}

/** Labels of everything the stack owns, by which it is found. */
export const ownership = (stack: string): Label[] => [{ label: LABELS.project, value: stack }];
