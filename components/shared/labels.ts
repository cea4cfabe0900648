import { LABELS } from "./names.ts";

export interface Label {
  readonly label: string;
  readonly value: string;
}

export const ownership = (stack: string): Label[] => [{ label: LABELS.project, value: stack }];
