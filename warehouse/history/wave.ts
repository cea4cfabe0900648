import { clockIn, DAY, HOUR, type Micros, parseMicros } from "../../contract/time.ts";
import { type Expected, expectedWith } from "../../generator/history-size.ts";
import type { HistoryModel, ModelPeriod } from "./model.ts";

/** Half-open interval of model time [from, to). */
export interface Interval {
  readonly from: Micros;
  readonly to: Micros;
}

/** Page events of a quarter of an hour; UTC offsets are multiples of a quarter of an hour. */
export interface QuarterCount {
  /** `YYYY-MM-DD HH:MM:SS`, UTC. */
  readonly started_at: string;
  readonly page_events: number;
}

export interface WavePoint {
  readonly start: Micros;
  /** What the site's clock shows at the start. */
  readonly shown: Micros;
  readonly observed: number;
  /** Page events that the model expects; NaN without a model. */
  readonly expected: number;
}

export interface ProfileHour {
  readonly hour: number;
  readonly observed: number;
  readonly expected: number;
}

const QUARTER: Micros = HOUR / 4;

/** Returns the page events that the model expects, each period with its own settings. */
export function expectedEvents(periods: readonly ModelPeriod[]): Expected {
  if (periods.length === 0) return () => Number.NaN;
  const parts = periods.map(({ from, config }, i) => ({
    begin: from,
    end: periods[i + 1]?.from ?? Number.POSITIVE_INFINITY,
    expected: expectedWith(config),
  }));
  return (from, to) =>
    parts.reduce((sum, { begin, end, expected }) => {
      const [start, stop] = [Math.max(from, begin), Math.min(to, end)];
      return start < stop ? sum + expected(start, stop) : sum;
    }, 0);
}

/** @param timezone of the site, whose clock begins the hours */
export function hourlyWave(
  quarters: readonly QuarterCount[],
  model: HistoryModel | undefined,
  interval: Interval,
  timezone: string,
): WavePoint[] {
  const clock = clockIn(timezone);
  return [...sumBy(quarters, model, interval, hourStart(timezone))]
    .sort(([a], [b]) => a - b)
    .map(([start, { observed, expected }]) => ({ start, shown: clock(start), observed, expected }));
}

/** @param timezone of the site, whose clock names the hours */
export function dailyProfile(
  quarters: readonly QuarterCount[],
  model: HistoryModel | undefined,
  interval: Interval,
  timezone: string,
): ProfileHour[] {
  const clock = clockIn(timezone);
  const hourOf = (at: Micros): number => Math.floor((clock(at) % DAY) / HOUR);
  return [...sumBy(quarters, model, interval, hourOf)]
    .sort(([a], [b]) => a - b)
    .map(([hour, { duration, observed, expected }]) => ({
      hour,
      observed: (observed * HOUR) / duration,
      expected: (expected * HOUR) / duration,
    }));
}

/** Returns observed over expected page events; NaN if the model expects none. */
export const ratioToModel = (points: readonly WavePoint[]): number =>
  points.reduce((sum, point) => sum + point.observed, 0) /
  points.reduce((sum, point) => sum + point.expected, 0);

interface Sum {
  readonly duration: Micros;
  readonly observed: number;
  readonly expected: number;
}

/** Adds up the quarters of an hour of the interval by group. */
function sumBy(
  quarters: readonly QuarterCount[],
  model: HistoryModel | undefined,
  { from, to }: Interval,
  group: (at: Micros) => number,
): Map<number, Sum> {
  const counts = new Map(quarters.map((one) => [parseMicros(one.started_at), one.page_events]));
  const expectedIn = expectedEvents(model?.periods ?? []);
  const sums = new Map<number, Sum>();
  for (let start = floor(from, QUARTER); start < to; start += QUARTER) {
    const [begin, end] = [Math.max(from, start), Math.min(to, start + QUARTER)];
    const key = group(start);
    const sum = sums.get(key);
    sums.set(key, {
      duration: (sum?.duration ?? 0) + end - begin,
      observed: (sum?.observed ?? 0) + (counts.get(start) ?? 0),
      expected: (sum?.expected ?? 0) + expectedIn(begin, end),
    });
  }
  return sums;
}

/** Returns a function that gives when the hour of a clock of the zone began. */
export function hourStart(timezone: string): (at: Micros) => Micros {
  const clock = clockIn(timezone);
  return (at) => at - (clock(at) % HOUR);
}

/** Returns the last multiple of `step` until `at`. */
const floor = (at: Micros, step: Micros): Micros => Math.floor(at / step) * step;
