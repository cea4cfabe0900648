import { createHash } from "node:crypto";

/** True to test all cases instead of a sample: in `make test-long`. */
export const IS_EXHAUSTIVE = process.env.EXHAUSTIVE === "1";

/** Seed of the sample; other seeds choose other cases. */
const SEED = process.env.SAMPLE_SEED ?? "1";

/**
 * Returns `count` items in their order, equal for equal seeds; all items if EXHAUSTIVE=1.
 */
export function sampleOf<T>(
  items: readonly T[],
  count: number,
  nameOf: (item: T) => string = String,
): T[] {
  if (IS_EXHAUSTIVE) return [...items];
  const rank = (item: T, index: number): string =>
    createHash("sha256")
      .update(`${SEED} ${index} ${nameOf(item)}`)
      .digest("hex");
  const ranks = items.map(rank);
  const chosen = new Set(ranks.toSorted().slice(0, count));
  return items.filter((_, index) => chosen.has(ranks[index] ?? ""));
}
