import { createHash } from "node:crypto";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";

export type Rng = RandomGenerator;
export type RngState = readonly [number, number, number, number];

/** Returns a random number generator, independent for each `purpose` of a seed. */
export function seededRng(seed: string, purpose: string): Rng {
  const digest = createHash("sha256")
    .update(JSON.stringify([seed, purpose]))
    .digest();
  return xoroshiro128plusFromState([0, 4, 8, 12].map((at) => digest.readInt32LE(at)));
}

export const restoreRng = (state: RngState): Rng => xoroshiro128plusFromState(state);

export function rngState(rng: Rng): RngState {
  const [a = 0, b = 0, c = 0, d = 0] = rng.getState();
  return [a, b, c, d];
}

/** Draws uniformly from [0, 1) with 32 bits, enough for choices and dwell times. */
export const uniform = (rng: Rng): number => (rng.next() >>> 0) * 2 ** -32;

/** Draws uniformly from [0, 1) with 53 bits. */
export const uniform53 = (rng: Rng): number =>
  ((rng.next() >>> 5) * 2 ** 26 + (rng.next() >>> 6)) * 2 ** -53;

/** Draws an integer from [0, limit). */
export const below = (rng: Rng, limit: number): number => Math.floor(uniform(rng) * limit);

/** Draws an integer from [from, to). */
export const between = (rng: Rng, from: number, to: number): number =>
  from + Math.floor(uniform53(rng) * (to - from));

export function pick<T>(rng: Rng, items: readonly T[]): T {
  const item = items[below(rng, items.length)];
  if (item === undefined) throw new RangeError("pick: nothing to pick from");
  return item;
}

/** Draws an item by weight; the weights need not sum to one. */
export function pickWeighted<T extends { readonly weight: number }>(
  rng: Rng,
  items: readonly T[],
): T {
  let rest = uniform(rng) * items.reduce((sum, item) => sum + item.weight, 0);
  for (const item of items) {
    rest -= item.weight;
    if (rest < 0) return item;
  }
  // Reached only if rounding leaves a remainder.
  return pick(rng, items.slice(-1));
}

/** Returns a v4-shaped UUID without the last four digits, unique in a run by `sequence`. */
export const idPrefix = (rng: Rng, sequence: number): string =>
  idOf(rng.next(), rng.next(), rng.next(), sequence, 0).slice(0, -DIGITS_PER_WORD);

/** Returns a v4-shaped UUID of three random words. Bytes, because concatenation gives a rope, slow for every use. */
export function idOf(a: number, b: number, c: number, sequence: number, index: number): string {
  putHex(0, a >>> 16);
  putHex(4, a);
  putHex(9, b >>> 16);
  putHex(14, 0x4000 | (b & 0xfff));
  putHex(19, 0x8000 | ((c & 3) << 12) | (c >>> 20));
  putHex(24, sequence >>> 16);
  putHex(28, sequence);
  putHex(32, index);
  return id.toString("latin1");
}

const DIGITS = Buffer.from("0123456789abcdef");
const DIGITS_PER_WORD = 4;
const id = Buffer.from("00000000-0000-0000-0000-000000000000");

/** Writes the low 16 bits. */
function putHex(at: number, word: number): void {
  let rest = word;
  for (let place = at + DIGITS_PER_WORD - 1; place >= at; place -= 1) {
    id[place] = DIGITS[rest & 15] as number;
    rest >>>= 4;
  }
}

export const idSuffix = (index: number): string =>
  (index & 0xffff).toString(16).padStart(DIGITS_PER_WORD, "0");

export function poisson(rng: Rng, mean: number): number {
  if (!(mean >= 0)) throw new RangeError(`poisson: mean must be 0 or more, not ${mean}`);
  return mean < 10 ? byInversion(rng, mean) : byTransformedRejection(rng, mean);
}

/** Draws by inversion, for means below 10, where e^-mean does not underflow. */
function byInversion(rng: Rng, mean: number): number {
  let rest = uniform53(rng);
  let probability = Math.exp(-mean);
  let count = 0;
  // Counts above 200 have probability 0 in floating point.
  while (rest >= probability && count < 200) {
    rest -= probability;
    count += 1;
    probability *= mean / count;
  }
  return count;
}

/** Draws by PTRS: W. Hörmann, "The transformed rejection method …", Insurance: Math. and Econ. 12 (1993). */
function byTransformedRejection(rng: Rng, mean: number): number {
  const b = 0.931 + 2.53 * Math.sqrt(mean);
  const a = -0.059 + 0.02483 * b;
  const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  const squeeze = 0.9277 - 3.6224 / (b - 2);
  const logMean = Math.log(mean);
  for (;;) {
    const u = uniform53(rng) - 0.5;
    const v = uniform53(rng);
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const left = Math.log(v) + Math.log(inverseAlpha) - Math.log(a / (us * us) + b);
    if (left <= k * logMean - mean - logFactorial(k)) return k;
  }
}

const LOG_FACTORIALS = [1, 1, 2, 6, 24, 120, 720, 5040, 40_320, 362_880].map(Math.log);

/** Returns ln k!, by Stirling's series from 10 on (error below 1e-10). */
export function logFactorial(k: number): number {
  const small = LOG_FACTORIALS[k];
  if (small !== undefined) return small;
  const n = k + 1;
  const series = (1 / 12 - (1 / 360 - 1 / (1260 * n * n)) / (n * n)) / n;
  return (n - 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series;
}
