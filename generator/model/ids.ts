import type { Rng } from "./random.ts";

const hex = (value: number, width: number): string =>
  (value >>> 0).toString(16).padStart(width, "0");

/**
 * All of a v4-shaped UUID but its last four digits. It ends with a sequence number, so ids with
 * different (sequence, suffix) can never be equal within a run; the random part tells runs apart.
 */
export function idPrefix(rng: Rng, sequence: number): string {
  const a = rng.next();
  const b = rng.next();
  const c = rng.next();
  const variant = "89ab"[c & 3];
  return `${hex(a, 8)}-${hex(b >>> 16, 4)}-4${hex(b & 0xfff, 3)}-${variant}${hex(c >>> 20, 3)}-${hex(sequence, 8)}`;
}

/** Last four digits of an id. */
export const idSuffix = (index: number): string => hex(index, 4);
