import { HOUR, type Micros, parseMicros } from "../../contract/time.ts";
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

export function hourlyWave(
  quarters: readonly QuarterCount[],
  model: HistoryModel | undefined,
  { from, to }: Interval,
): WavePoint[] {
  const observed = sumBy(quarters, (at) => floor(at, HOUR));
  const expected = expectedEvents(model?.periods ?? []);
  const points: WavePoint[] = [];
  for (let start = floor(from, HOUR); start < to; start += HOUR) {
    points.push({
      start,
      observed: observed.get(start) ?? 0,
      expected: expected(Math.max(from, start), Math.min(to, start + HOUR)),
    });
  }
  return points;
}

export function dailyProfile(
  quarters: readonly QuarterCount[],
  model: HistoryModel | undefined,
  { from, to }: Interval,
): ProfileHour[] {
  const hourOf = hourInZone(timezoneOf(model));
  const observed = sumBy(quarters, hourOf);
  const expected = expectedEvents(model?.periods ?? []);
  const sums = new Map<number, { duration: Micros; expected: number }>();
  for (let start = floor(from, QUARTER); start < to; start += QUARTER) {
    const [begin, end] = [Math.max(from, start), Math.min(to, start + QUARTER)];
    const sum = sums.get(hourOf(start)) ?? { duration: 0, expected: 0 };
    sum.duration += end - begin;
    sum.expected += expected(begin, end);
    sums.set(hourOf(start), sum);
  }
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([hour, sum]) => ({
      hour,
      observed: ((observed.get(hour) ?? 0) * HOUR) / sum.duration,
      expected: (sum.expected * HOUR) / sum.duration,
    }));
}

/** Returns the time zone of the model's day; UTC without a model. */
export const timezoneOf = (model: HistoryModel | undefined): string =>
  model?.config.timezone ?? "UTC";

/** Returns observed over expected page events; NaN if the model expects none. */
export const ratioToModel = (points: readonly WavePoint[]): number =>
  points.reduce((sum, point) => sum + point.observed, 0) /
  points.reduce((sum, point) => sum + point.expected, 0);

function sumBy(quarters: readonly QuarterCount[], group: (at: Micros) => number) {
  const sums = new Map<number, number>();
  for (const { started_at, page_events } of quarters) {
    const key = group(parseMicros(started_at));
    sums.set(key, (sums.get(key) ?? 0) + page_events);
  }
  return sums;
}

function hourInZone(timezone: string): (at: Micros) => number {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    hour: "2-digit",
    hourCycle: "h23",
  });
  return (at) => Number(clock.format(at / 1000));
}

/** Returns the last multiple of `step` until `at`. */
export const floor = (at: Micros, step: Micros): Micros => Math.floor(at / step) * step;
