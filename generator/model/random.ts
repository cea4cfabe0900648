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
