import { DAY, dateOf, type Micros } from "../../../contract/time.ts";
import { type ShopParameters, WEEKDAYS } from "./parameters.ts";

export type Weekday = (typeof WEEKDAYS)[number];

/** Days are UTC dates, as in the marts; 1970-01-01, day 0, was a Thursday. */
export const weekdayOf = (at: Micros): Weekday =>
  WEEKDAYS[(Math.floor(at / DAY) + 3) % 7] as Weekday;

const weightOf = ({ calendar }: ShopParameters, at: Micros): number =>
  calendar.weekdays[weekdayOf(at)] * (calendar.holidays[dateOf(at).slice(5)] ?? 1);

/** Cached per day. */
export function dayWeight(parameters: ShopParameters): (at: Micros) => number {
  let cachedDay = Number.NaN;
  let cached = 1;
  return (at) => {
    const day = Math.floor(at / DAY);
    if (day !== cachedDay) {
      cachedDay = day;
      cached = weightOf(parameters, at);
    }
    return cached;
  };
}
