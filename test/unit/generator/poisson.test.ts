import { describe, expect, it } from "vitest";
import { logFactorial, poisson, seededRng } from "../../../generator/model/random.ts";

const DRAWS = 40_000;

function moments(mean: number) {
  const rng = seededRng("poisson", String(mean));
  const draws = Array.from({ length: DRAWS }, () => poisson(rng, mean));
  const average = draws.reduce((sum, draw) => sum + draw, 0) / DRAWS;
  const variance = draws.reduce((sum, draw) => sum + (draw - average) ** 2, 0) / DRAWS;
  return { average, variance, draws };
}

describe("poisson", () => {
  it.each([0.1, 1, 10, 709, 1e6])("has mean and variance %d", (mean) => {
    const { average, variance } = moments(mean);
    // Five standard errors of either estimate; the fixed seed makes it one fixed draw.
    const meanError = 5 * Math.sqrt(mean / DRAWS);
    const varianceError = 5 * mean * Math.sqrt((2 + 1 / mean) / DRAWS);
    expect(Math.abs(average - mean)).toBeLessThan(meanError);
    expect(Math.abs(variance - mean)).toBeLessThan(varianceError);
  });

  it.each([2, 15])("follows the distribution at mean %d (chi-squared)", (mean) => {
    const { draws } = moments(mean);
    let probability = Math.exp(-mean);
    let chiSquared = 0;
    let cells = 0;
    for (let k = 0; k < 40; k += 1) {
      const expected = probability * DRAWS;
      if (expected > 20) {
        const seen = draws.filter((draw) => draw === k).length;
        chiSquared += (seen - expected) ** 2 / expected;
        cells += 1;
      }
      probability *= mean / (k + 1);
    }
    // Mean `cells`, standard deviation sqrt(2 cells): four deviations are a generous bound.
    expect(chiSquared).toBeLessThan(cells + 4 * Math.sqrt(2 * cells));
  });

  it("computes the logarithm of every factorial to ten digits", () => {
    let exact = 0;
    for (let k = 0; k <= 1000; k += 1) {
      if (k > 0) exact += Math.log(k);
      expect(Math.abs(logFactorial(k) - exact), `ln ${k}!`).toBeLessThan(1e-10 * (1 + exact));
    }
  });

  it("always draws 0 at mean 0", () => {
    const rng = seededRng("zero", "");
    expect(Array.from({ length: 100 }, () => poisson(rng, 0))).toEqual(Array(100).fill(0));
  });

  it.each([-1, Number.NaN])("refuses the mean %d", (mean) => {
    expect(() => poisson(seededRng("bad", ""), mean)).toThrow("mean must be 0 or more");
  });
});
