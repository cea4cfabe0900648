import { formatMicros, type Micros, parseMicros } from "../contract/time.ts";

const integers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export const whole = (value: number): string => integers.format(value);

/** Formats money: `44.85`. */
export const amount = (value: number): string => value.toFixed(2);

/** Formats a share: `84.0 %`; a dash if the share is undefined. */
export const percent = (share: number): string =>
  Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "–";

/** Formats a factor: `2`, `1.9`, `12`, `0.04`. */
export const factor = (value: number): string =>
  String(Number(value < 1 ? value.toPrecision(2) : value.toFixed(value < 9.95 ? 1 : 0)));

/** Formats what a clock shows: `2026-01-01 09:00`. */
export const minuteText = (at: Micros): string => formatMicros(at).slice(0, 16);

/** Formats an hour of the day: `09:00`. */
export const hourText = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

const dates = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
});

/** Formats the date that a clock shows: `Thu 15 Jan 2026`. */
export const dayText = (at: Micros): string => dates.format(at / 1000).replace(",", "");

/** Formats a date `2026-01-15` likewise. */
export const dateText = (date: string): string => dayText(parseMicros(`${date}T00:00:00Z`));

/** Leaves out the year, which a chart names elsewhere: `Thu 15 Jan`. */
export const withoutYear = (day: string): string => day.replace(/ \d+$/, "");

/** Formats a duration: `1 day`, `31 days`, `36 hours`. */
export function durationText(time: Micros): string {
  const hours = Math.round(time / 3_600_000_000);
  const [value, unit] =
    hours > 48 || hours % 24 === 0 ? [Math.round(hours / 24), "day"] : [hours, "hour"];
  return `${whole(value)} ${unit}${value === 1 ? "" : "s"}`;
}
