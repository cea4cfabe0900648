import { HOUR, type Micros } from "../../contract/time.ts";
import { type ModelConfig, tickMicros } from "../../generator/config.ts";
import { expectedEvents } from "./wave.ts";

export interface HandoverWindow {
  readonly before: number;
  readonly after: number;
  /** Sum of the squared page events of each session in both windows. */
  readonly weight: number;
  readonly visits_before: number;
  /** Total duration of sessions before T_end, microseconds. */
  readonly time_before: Micros;
  /** Last page event before T_end, relative to T_end, microseconds. */
  readonly last_before: Micros;
  readonly first_after: Micros;
}

export const HANDOVER_WINDOW: Micros = HOUR;

/** Accepted deviation, in standard deviations: chance exceeds it once in 1.7 million. */
export const HANDOVER_SIGMA = 5;

/** Exponent of the longest accepted pause, which chance exceeds once in 10⁹ (e^-21). */
const PAUSE_EXPONENT = 21;

export interface RateComparison {
  /** Page events expected after T_end, from earlier events and the model's coefficients. */
  readonly expected: number;
  readonly allowed: number;
  /** Mean clump size: variance of a count divided by that of a Poisson process. */
  readonly clumping: number;
}

/** Compares rates. N page events in sessions of n vary by sqrt(N × Σn² / Σn), plus jitter. */
export function compareRates(
  window: HandoverWindow,
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
  return { expected, clumping, allowed: HANDOVER_SIGMA * Math.sqrt(chance + jitter) };
}

export const longestPause = (window: HandoverWindow, length: Micros): Micros =>
  (PAUSE_EXPONENT * length) / Math.max(1, window.visits_before);

export const expectedCrossing = (window: HandoverWindow, length: Micros): number =>
  window.time_before / length;
