import { MINUTE, type Micros } from "../../contract/time.ts";
import type { ModelConfig } from "../config.ts";
import { type DailyCoefficient, dailyCoefficient, type Segment, segments } from "./coefficient.ts";
import { expectedSessionLength } from "./pages.ts";
import { poisson } from "./poisson.ts";
import { type Rng, uniform53 } from "./random.ts";

interface Tick {
  readonly starts: readonly Micros[];
  readonly budget: number;
  /** True if GEN_MIN_EVENTS_PER_TICK or GEN_MAX_EVENTS_PER_TICK limited the budget. */
  readonly clamped: boolean;
}

export interface TickPlanner {
  readonly coefficient: DailyCoefficient;
  plan(rng: Rng, start: Micros, end: Micros): Tick;
}

export function tickPlanner(config: ModelConfig): TickPlanner {
  const coefficient = dailyCoefficient(config.timezone);
  const expectedLength = expectedSessionLength(config.maxSessionEvents);
  return {
    coefficient,
    plan(rng, start, end) {
      const parts = segments(coefficient, start, end);
      const jitter = 1 + (config.jitterPercent / 100) * (2 * uniform53(rng) - 1);
      const total = weight(parts);
      const wanted = ((config.eventsPerMinute * total) / MINUTE) * jitter;
      const budget = Math.min(config.maxEventsPerTick, Math.max(config.minEventsPerTick, wanted));
      const count = poisson(rng, budget / expectedLength);
      const starts = placeStarts(rng, parts, total, count);
      return { starts, budget, clamped: budget !== wanted };
    },
  };
}

function weight(parts: readonly Segment[]): number {
  let sum = 0;
  for (const part of parts) sum += (part.end - part.start) * part.coefficient;
  return sum;
}

/** Draws uniformly, weighted by the coefficient if a long tick spans several. */
function placeStarts(rng: Rng, parts: readonly Segment[], total: number, count: number): Micros[] {
  const starts: Micros[] = [];
  for (let i = 0; i < count; i += 1) starts.push(place(parts, uniform53(rng) * total));
  return count > 1 ? starts.sort((a, b) => a - b) : starts;
}

function place(parts: readonly Segment[], target: number): Micros {
  let rest = target;
  for (const part of parts) {
    const share = (part.end - part.start) * part.coefficient;
    // Rounding the sum up to the end would make the next tick drop the start.
    if (rest < share)
      return Math.min(Math.floor(part.start + rest / part.coefficient), part.end - 1);
    rest -= share;
  }
  return (parts.at(-1)?.end ?? 1) - 1;
}
