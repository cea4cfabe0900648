import { DAY, HOUR, MINUTE, type Micros, parseMicros } from "../contract/time.ts";

export const INSTANT_FORMS =
  "an instant from 2000 to 2099 like 2026-01-01T00:00:00Z, or now, now-6h, now-7d";

/** First valid instant; the pipeline marks timestamps outside the range as broken. */
const EARLIEST = parseMicros("2000-01-01T00:00:00Z");
const LATEST = parseMicros("2100-01-01T00:00:00Z");

const UNITS: Readonly<Record<string, Micros>> = { m: MINUTE, h: HOUR, d: DAY };

export const isRelative = (text: string): boolean => text.startsWith("now");

/** Resolves an instant; relative ones are truncated to the minute. NaN for invalid text. */
export function resolveInstant(text: string, now: Micros): Micros {
  const at = isRelative(text) ? countBack(text, now) : parseMicros(text);
  return at >= EARLIEST && at < LATEST ? at : Number.NaN;
}

function countBack(text: string, now: Micros): Micros {
  const match = /^now(?:-(\d{1,6})([mhd]))?$/.exec(text);
  if (!match) return Number.NaN;
  const back = Number(match[1] ?? 0) * (UNITS[match[2] ?? "m"] ?? 0);
  return Math.floor((now - back) / MINUTE) * MINUTE;
}
