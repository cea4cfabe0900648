import { MINUTE, type Micros } from "../../contract/time.ts";

export interface Segment {
  readonly start: Micros;
  readonly end: Micros;
  readonly coefficient: number;
}

export type DailyCoefficient = (at: Micros) => number;

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
