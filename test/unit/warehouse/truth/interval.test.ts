import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newcombe, wilson } from "../../../../warehouse/truth/interval.ts";

/** Published in R. G. Newcombe, Statistics in Medicine 17 (1998), 857–872, table I, method 3. */
const SHARES = [
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
] as const;

/** Published in the same volume, 873–890, table II, method 10. */
const DIFFERENCES = [
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [6, 7, 2, 7, 0.0582, 0.8062],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [0, 10, 0, 20, -0.1611, 0.2775],
  [10, 10, 0, 10, 0.6075, 1],
] as const;

const counts = fc
  .tuple(fc.integer({ min: 1, max: 5000 }), fc.nat(1000))
  .map(([of, permille]) => ({ of, hits: Math.floor((of * permille) / 1000) }));

describe("the interval of a share", () => {
  it.each(SHARES)("of %i hits in %i is as published", (hits, of, low, high) => {
    const interval = wilson({ of, hits });
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it("contains the estimate, is within 0 and 1, and mirrors when hits become misses", () => {
    fc.assert(
      fc.property(counts, ({ of, hits }) => {
        const { estimate, low, high } = wilson({ of, hits });
        const mirrored = wilson({ of, hits: of - hits });
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(estimate + 1e-12);
        expect(high).toBeGreaterThanOrEqual(estimate - 1e-12);
        expect(high).toBeLessThanOrEqual(1);
        expect(mirrored.low).toBeCloseTo(1 - high, 9);
      }),
      { seed: 1 },
    );
  });
});

describe("the interval of a difference of shares", () => {
  it.each(DIFFERENCES)("%i/%i − %i/%i is as published", (hits, of, hits2, of2, low, high) => {
    const interval = newcombe({ of, hits }, { of: of2, hits: hits2 });
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it("changes sign when the shares change places", () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const [one, other] = [newcombe(a, b), newcombe(b, a)];
        expect(one.low).toBeCloseTo(-other.high, 12);
        expect(one.estimate).toBeCloseTo(-other.estimate, 12);
      }),
      { seed: 1 },
    );
  });
});
