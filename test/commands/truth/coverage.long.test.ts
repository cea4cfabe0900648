import { beforeAll, describe, expect, it } from "vitest";
import { useTestEngine } from "../../support/use-engine.ts";
import {
  type Coverage,
  compareHistory,
  coverageOf,
  leastInside,
  wrongEffects,
} from "./coverage.ts";

/** The documented coverage has `TRUTH_SEEDS=20 TRUTH_DAYS=7`. */
const SEEDS = Number(process.env.TRUTH_SEEDS ?? 5);
const DAYS = Number(process.env.TRUTH_DAYS ?? 3);

const engine = useTestEngine();
let coverage: Coverage;
beforeAll(async () => {
  const histories = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    histories.push(await compareHistory(engine, `coverage ${seed}`, DAYS));
  }
  coverage = coverageOf(histories);
});

describe("95 % intervals", () => {
  it("contain the truth as often as 95 % intervals do", () => {
    // Effects of one history depend on each other, so the bound is that of the seeds.
    const bound = (4 * DEVIATION) / Math.sqrt(SEEDS);
    expect(Math.abs(coverage.share - 0.95)).toBeLessThan(bound);
    expect(coverage.intervals).toBeGreaterThan(100 * SEEDS);
  });

  it("of each effect miss the truth no more often than by chance", () => {
    expect(wrongEffects(coverage)).toEqual([]);
  });
});

/** Of a history's share, measured over 20 seeds of 7 days. */
const DEVIATION = 0.018;

it.each([
  [20, 15],
  [5, 2],
  [1, 0],
])("of %i intervals, at least %i contain the truth", (of, least) => {
  expect(leastInside(of)).toBe(least);
});
