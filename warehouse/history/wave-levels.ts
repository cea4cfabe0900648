import { HOUR } from "../../contract/time.ts";
import type { ModelConfig } from "../../generator/config.ts";
import { dailyCoefficient } from "../../generator/model/budget.ts";
import type { Analytics } from "./analytics.ts";

export interface WaveLevel {
  readonly coefficient: number;
  readonly observed: number;
  readonly expected: number;
  readonly isWithin: boolean;
}

/** Variance-to-mean ratio of page-event counts: the sum of squared session sizes over their sum. */
const CLUMPING = 11;
const SIGMAS = 5;

export function waveByCoefficient({ wave, interval }: Analytics, config: ModelConfig): WaveLevel[] {
  const coefficientAt = dailyCoefficient(config.timezone);
  const sums = new Map<number, { observed: number; expected: number }>();
  for (const { start, observed, expected } of wave) {
    if (start < interval.from || start + HOUR > interval.to) continue;
    const coefficient = coefficientAt(start);
    const sum = sums.get(coefficient) ?? { observed: 0, expected: 0 };
    sum.observed += observed;
    sum.expected += expected;
    sums.set(coefficient, sum);
  }
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([coefficient, { observed, expected }]) => ({
      coefficient,
      observed,
      expected: Math.round(expected),
      isWithin: Math.abs(observed - expected) <= SIGMAS * Math.sqrt(CLUMPING * expected),
    }));
}
