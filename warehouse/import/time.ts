import type { Micros } from "../../contract/time.ts";
import { zoneConverter } from "./zone.ts";

const UNIX_DIGITS: Readonly<Record<string, number>> = {
  unix_seconds: 6,
  unix_milliseconds: 3,
  unix_microseconds: 0,
};
export const UNIX_FORMATS = Object.keys(UNIX_DIGITS);
/** Formats by name; any other format is a pattern of the tokens below. */
export const NAMED_FORMATS = ["iso", ...UNIX_FORMATS];

const TOKENS: Readonly<Record<string, string>> = {
  yyyy: "(?<year>\\d{4})",
  MM: "(?<month>\\d{2})",
  M: "(?<month>\\d{1,2})",
  dd: "(?<day>\\d{2})",
  d: "(?<day>\\d{1,2})",
  HH: "(?<hour>\\d{2})",
  H: "(?<hour>\\d{1,2})",
  h: "(?<hour>\\d{1,2})",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
  S: "(?<fraction>\\d{1,9})",
  a: "(?<half>[AaPp][Mm])",
  Z: "(?<offset>Z|[+-]\\d\\d(?::?\\d\\d)?)",
};
const TOKEN = /yyyy|MM?|dd?|HH?|h|mm|ss|S|a|Z/g;
export const TOKEN_NAMES = Object.keys(TOKENS);

/** An offset without minutes needs a time before it: `2026-01-05-10` may be a date and an hour. */
const ISO =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?)? ?(?<offset>Z|UTC|[+-]\d\d:?\d\d|(?<=:.*)[+-]\d\d)?$/;

/** Returns a pattern's regular expression (`dd.MM.yyyy HH:mm:ss`); null without a date. */
export function patternOf(format: string): RegExp | null {
  const names = format.match(TOKEN) ?? [];
  const hasDate = ["yyyy", "M", "d"].every((part) => names.some((name) => name.startsWith(part)));
  const groups = new Set(names.map((name) => /<\w+>/.exec(TOKENS[name] ?? "")?.[0]));
  if (!hasDate || groups.size < names.length) return null;
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
  const parts = format.split(TOKEN).map(literal);
  return new RegExp(`^${parts.map((part, i) => part + (TOKENS[names[i] ?? ""] ?? "")).join("")}$`);
}

/** Returns a parser, NaN for other formats. `zone` applies to texts without offset. */
export function timeParser(format: string, zone: string): (text: string) => Micros {
  const digits = UNIX_DIGITS[format];
  if (digits !== undefined) return (text) => unixMicros(text, digits);
  const pattern = format === "iso" ? ISO : patternOf(format);
  const toUtc = zoneConverter(zone);
  return (text) => {
    const found = pattern?.exec(text)?.groups;
    return found ? micros(found, toUtc) : Number.NaN;
  };
}

function unixMicros(text: string, digits: number): Micros {
  const match = /^(\d{1,16})(?:\.(\d+))?$/.exec(text);
  if (!match) return Number.NaN;
  const fraction = (match[2] ?? "").slice(0, digits).padEnd(digits, "0");
  return Number(`${match[1]}${fraction}`);
}

function micros(
  { year, month, day, hour = "0", minute = "0", second = "0", ...rest }: Record<string, string>,
  toUtc: (local: number) => number,
): Micros {
  const hours = hourOf(Number(hour), rest.half);
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day), hours, +minute, +second);
  const isDate = new Date(local).toISOString().startsWith(`${year}-${pad(month)}-${pad(day)}T`);
  if (!isDate || hours > 23 || +minute > 59 || +second > 59) return Number.NaN;
  const fraction = Number((rest.fraction ?? "").slice(0, 6).padEnd(6, "0"));
  const utc = rest.offset === undefined ? toUtc(local) : local - offsetMillis(rest.offset);
  return utc * 1000 + fraction;
}

const pad = (text = ""): string => text.padStart(2, "0");

/** Returns the hour of the day; 24 for an hour that is not on a 12-hour clock. */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return 24;
  return (hour % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
}

function offsetMillis(offset: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(offset);
  if (!match) return 0;
  return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0)) * 60_000;
}
