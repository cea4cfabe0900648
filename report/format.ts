import { formatMicros, type Micros } from "../contract/time.ts";

const integers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export const whole = (value: number): string => integers.format(value);

/** Formats a share: `84.0 %`; a dash if the share is undefined. */
export const percent = (share: number): string =>
  Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "–";

/** Formats a time in UTC: `2026-01-01 09:00`. */
export const minuteText = (at: Micros): string => formatMicros(at).slice(0, 16);

/** Formats a duration: `1 model day`, `7 model days`, `36 model hours`. */
export function durationText(time: Micros): string {
  const hours = time / 3_600_000_000;
  const [value, unit] = hours % 24 === 0 ? [hours / 24, "day"] : [Math.round(hours), "hour"];
  return `${whole(value)} model ${unit}${value === 1 ? "" : "s"}`;
}
