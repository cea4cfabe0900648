import type { Rng } from "./random.ts";

/** All four-digit hexadecimal numbers: looking them up is quicker than padding each one. */
const HEX = Array.from({ length: 0x10000 }, (_, value) => value.toString(16).padStart(4, "0"));

const low = (value: number): string => HEX[value & 0xffff] ?? "";
const high = (value: number): string => HEX[value >>> 16] ?? "";

/**
 * All of a v4-shaped UUID but its last four digits. It ends with a sequence number, so ids with
 * different (sequence, suffix) can never be equal within a run; the random part tells runs apart.
 */
export function idPrefix(rng: Rng, sequence: number): string {
  const a = rng.next();
  const b = rng.next();
  const c = rng.next();
  // Version 4 in the third group, variant 10 in the first two bits of the fourth.
  const version = 0x4000 | (b & 0xfff);
  const variant = 0x8000 | ((c & 3) << 12) | (c >>> 20);
  return `${high(a)}${low(a)}-${high(b)}-${low(version)}-${low(variant)}-${high(sequence)}${low(sequence)}`;
}

/** Last four digits of an id. */
export const idSuffix = (index: number): string => low(index);
