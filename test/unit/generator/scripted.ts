import type { Rng } from "../../../generator/model/random.ts";

/** 32-bit random numbers in the given order; fails when none are left. */
export function bits(...numbers: readonly number[]): Rng {
  let used = 0;
  const next = (): number => {
    const number = numbers[used];
    if (number === undefined) throw new RangeError(`only ${used} random numbers were foreseen`);
    used += 1;
    return number | 0;
  };
  return { next, clone: () => bits(...numbers.slice(used)), getState: () => numbers.slice(used) };
}

/** Uniform numbers from 0 to below 1 for draws of 32 bits; draws of 53 bits use two of them. */
export const shares = (...all: readonly number[]): Rng =>
  bits(...all.map((share) => Math.floor(share * 2 ** 32)));

/** Number of unused random numbers. */
export const unused = (rng: Rng): number => rng.getState().length;
