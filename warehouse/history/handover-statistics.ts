import { HOUR, type Micros } from "../../contract/time.ts";
import { type ModelConfig, tickMicros } from "../../generator/config.ts";
import { expectedEvents } from "./wave.ts";

export interface SeamWindow {
  readonly before: number;
  readonly after: number;
  /** Sum over sessions of their squared page events in both windows. */
  readonly weight: number;
  readonly visits_before: number;
  /** Total duration of sessions before T_end, microseconds. */
  readonly time_before: Micros;
  /** Relative to T_end, microseconds. */
  readonly last_before: Micros;
  readonly first_after: Micros;
}

export const SEAM_WINDOW: Micros = HOUR;

/** Accepted deviation, in standard deviations: chance exceeds it once in 1.7 million. */
export const SEAM_SIGMA = 5;

/** A pause is a gap when chance makes one as long less often than once in 10⁹ (e^-21). */
const PAUSE_EXPONENT = 21;

export interface RateComparison {
  /** Page events expected after T_end, from those before and the model's coefficients. */
  readonly expected: number;
  readonly allowed: number;
  /** Mean clump size: the variance of a count is that many times Poisson's. */
  readonly clumping: number;
}

/** Page events come in sessions of n, so N of them spread like sqrt(N × Σn² / Σn), plus jitter. */
export function compareRates(
  window: SeamWindow,
  config: ModelConfig,
  tEnd: Micros,
  length: Micros,
): RateComparison {
  const model = expectedEvents(config);
  const ratio = model(tEnd, tEnd + length) / model(tEnd - length, tEnd);
  const expected = window.before * ratio;
  const clumping = window.weight / Math.max(1, window.before + window.after);
  const chance = clumping * (expected + ratio ** 2 * window.before);
  const share = config.jitterPercent / 100 / Math.sqrt(3);
  const jitter = 2 * (expected * share) ** 2 * Math.min(1, tickMicros(config) / length);
  return { expected, clumping, allowed: SEAM_SIGMA * Math.sqrt(chance + jitter) };
}

export const longestPause = (window: SeamWindow, length: Micros): Micros =>
  (PAUSE_EXPONENT * length) / Math.max(1, window.visits_before);

export const expectedCrossing = (window: SeamWindow, length: Micros): number =>
  window.time_before / length;
