import type { Rng } from "./random.ts";

const HEX = Array.from({ length: 0x10000 }, (_, value) => value.toString(16).padStart(4, "0"));

const low = (value: number): string => HEX[value & 0xffff] ?? "";
const high = (value: number): string => HEX[value >>> 16] ?? "";

/** Returns a v4-shaped UUID without the last four digits, unique in a run by `sequence`. */
export function idPrefix(rng: Rng, sequence: number): string {
  const a = rng.next();
  const b = rng.next();
  const c = rng.next();
  const version = 0x4000 | (b & 0xfff);
  const variant = 0x8000 | ((c & 3) << 12) | (c >>> 20);
  return `${high(a)}${low(a)}-${high(b)}-${low(version)}-${low(variant)}-${high(sequence)}${low(sequence)}`;
}

export const idSuffix = (index: number): string => low(index);
