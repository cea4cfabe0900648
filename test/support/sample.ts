import { createHash } from "node:crypto";

/** Without it, tests take a sample of what they could try: `EXHAUSTIVE=1 make test`. */
export const IS_EXHAUSTIVE = process.env.EXHAUSTIVE === "1";

/** Chooses the sample: another one finds what this one does not. */
const SEED = process.env.SAMPLE_SEED ?? "1";

/** `count` of the items in their order, the same ones for one seed; all of them with EXHAUSTIVE=1. */
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
