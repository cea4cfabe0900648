import { MINUTE, type Micros } from "../../contract/time.ts";
import type { Behaviour } from "./behaviour.ts";
import type { SimulationConfig } from "./config.ts";
import type { Population } from "./population.ts";
import { poisson, type Rng, uniform53 } from "./random.ts";

interface Segment {
  readonly start: Micros;
  readonly end: Micros;
  readonly coefficient: number;
}

type DailyCoefficient = (at: Micros) => number;

/** Divisor of every current time zone offset. */
const QUARTER_HOUR = 15 * MINUTE;

/** Returns the coefficient of an hour; the ranges are inclusive: 09–18 is 09:00 to 18:59. */
export function coefficientOfHour(hour: number): number {
  if (hour >= 9 && hour <= 18) return 1.2;
  return hour <= 5 ? 0.7 : 1.0;
}

/** Returns the coefficient function of a time zone, with a cache per quarter hour. */
export function dailyCoefficient(timezone: string): DailyCoefficient {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    hour: "2-digit",
    hourCycle: "h23",
  });
  let cachedQuarter = Number.NaN;
  let cached = 1;
  return (at) => {
    const quarter = Math.floor(at / QUARTER_HOUR);
    if (quarter !== cachedQuarter) {
      cachedQuarter = quarter;
      cached = coefficientOfHour(Number(clock.format((quarter * QUARTER_HOUR) / 1000)));
    }
    return cached;
  };
}

/** Splits [start, end) where the coefficient may change, so that long ticks follow the day. */
export function segments(coefficient: DailyCoefficient, start: Micros, end: Micros): Segment[] {
  const parts: Segment[] = [];
  for (let from = start; from < end; ) {
    const to = Math.min(end, (Math.floor(from / QUARTER_HOUR) + 1) * QUARTER_HOUR);
    parts.push({ start: from, end: to, coefficient: coefficient(from) });
    from = to;
  }
  return parts;
}

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

type Limits = Pick<SimulationConfig, "jitterPercent" | "minEventsPerTick" | "maxEventsPerTick">;

/** Returns the mean of a tick's budget: jitter is uniform, and the limits cut it. */
export function meanBudget(
  wanted: number,
  { jitterPercent, minEventsPerTick: min, maxEventsPerTick: max }: Limits,
): number {
  const [least, most] = [-1, 1].map((sign) => wanted * (1 + (sign * jitterPercent) / 100)) as [
    number,
    number,
  ];
  const limited = (budget: number) => Math.min(max, Math.max(min, budget));
  if (most === least) return limited(wanted);
  const [from, to] = [limited(least), limited(most)];
  // The parts below and above the limits are constant, the part between them is linear.
  const below = Math.max(0, Math.min(most, min) - least) * min;
  const above = Math.max(0, most - Math.max(least, max)) * max;
  return (below + (to * to - from * from) / 2 + above) / (most - least);
}

export function tickPlanner(
  config: SimulationConfig,
  behaviour: Pick<Behaviour, "dayWeight" | "meanStarts">,
  population: Population,
): TickPlanner {
  const coefficient = dailyCoefficient(config.timezone);
  const weightAt = (at: Micros) => coefficient(at) * behaviour.dayWeight(at);
  return {
    coefficient,
    plan(rng, start, end) {
      const parts = segments(weightAt, start, end);
      const jitter = 1 + (config.jitterPercent / 100) * (2 * uniform53(rng) - 1);
      const total = weight(parts);
      const wanted = ((config.eventsPerMinute * total) / MINUTE) * jitter;
      const budget = Math.min(config.maxEventsPerTick, Math.max(config.minEventsPerTick, wanted));
      const count = poisson(rng, behaviour.meanStarts(budget, start, population));
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

/** Draws start times, weighted by the coefficients that a long tick spans. */
function placeStarts(rng: Rng, parts: readonly Segment[], total: number, count: number): Micros[] {
  const starts: Micros[] = [];
  for (let i = 0; i < count; i += 1) starts.push(place(parts, uniform53(rng) * total));
  return count > 1 ? starts.sort((a, b) => a - b) : starts;
}

function place(parts: readonly Segment[], target: number): Micros {
  let rest = target;
  for (const part of parts) {
    const share = (part.end - part.start) * part.coefficient;
    // Rounding a start up to the end would lose the start, because the next tick drops it.
    if (rest < share)
      return Math.min(Math.floor(part.start + rest / part.coefficient), part.end - 1);
    rest -= share;
  }
  return (parts.at(-1)?.end ?? 1) - 1;
}
