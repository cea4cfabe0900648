import { HOUR, type Micros } from "../../contract/time.ts";
import { type ModelConfig, tickMicros } from "../../generator/config.ts";
import { expectedEvents } from "./wave.ts";

/** Page events in equal windows before and after T_end, and what tells how much chance may do. */
export interface SeamWindow {
  readonly before: number;
  readonly after: number;
  /** Sum over visits of their squared page events in both windows. */
  readonly weight: number;
  /** Visits that began in the window before. */
  readonly visits_before: number;
  /** Time that visits were under way before T_end, summed, microseconds. */
  readonly time_before: Micros;
  /** Last page event before and first one after, relative to T_end, microseconds. */
  readonly last_before: Micros;
  readonly first_after: Micros;
}

/** Both sides are compared over this much model time, or as long as live has run. */
export const SEAM_WINDOW: Micros = HOUR;

/** Standard deviations that chance may be blamed for: once in 1.7 million. */
export const SEAM_SIGMA = 5;

/** A pause is a gap when chance makes one as long less often than once in 10⁹ (e^-21). */
const PAUSE_EXPONENT = 21;

export interface RateComparison {
  /** Page events expected after, by those before and the model's coefficients. */
  readonly expected: number;
  readonly allowed: number;
  /** Mean page events that come together: the spread of a count is that many times Poisson's. */
  readonly clumping: number;
}

/**
 * Visits are born as a Poisson process and bring several page events each, so a count N of page
 * events spreads like sqrt(N × clumping), where clumping = Σn² / Σn over visits of n page events.
 * The jitter of the ticks adds its part.
 */
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

/** Longest believable pause between page events, from the births of visits in the window before. */
export const longestPause = (window: SeamWindow, length: Micros): Micros =>
  (PAUSE_EXPONENT * length) / Math.max(1, window.visits_before);

/** Visits that should be under way at T_end. */
export const expectedCrossing = (window: SeamWindow, length: Micros): number =>
  window.time_before / length;
