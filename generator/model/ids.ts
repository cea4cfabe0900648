import type { Rng } from "./random.ts";

/** All four-digit hexadecimal numbers: a lookup is faster than padding. */
const HEX = Array.from({ length: 0x10000 }, (_, value) => value.toString(16).padStart(4, "0"));

const low = (value: number): string => HEX[value & 0xffff] ?? "";
const high = (value: number): string => HEX[value >>> 16] ?? "";

/**
 * Returns a v4-shaped UUID without its last four digits. It ends with a sequence number, so ids
 * never repeat within a run; the random part separates runs.
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

export const idSuffix = (index: number): string => low(index);
