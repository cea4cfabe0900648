/** Microseconds since 1970, exact until 2255 (2^53 µs); faster than bigint or Date. */
export type Micros = number;

export const SECOND: Micros = 1_000_000;
export const MINUTE: Micros = 60 * SECOND;
export const HOUR: Micros = 60 * MINUTE;
export const DAY: Micros = 24 * HOUR;

const pad = (value: number, width: number): string => String(value).padStart(width, "0");

const SECONDS = Array.from({ length: 60 }, (_, second) => `:${pad(second, 2)}.`);
const THOUSANDS = Array.from({ length: 1000 }, (_, value) => pad(value, 3));

let cachedMinute = Number.NaN;
let cachedPrefix = "";

/** Formats a UTC time. Caches the minute, because the generator formats 100,000s per second. */
export function formatMicros(at: Micros): string {
  const minute = Math.floor(at / MINUTE);
  if (minute !== cachedMinute) {
    cachedMinute = minute;
    cachedPrefix = new Date(minute * 60_000).toISOString().slice(0, 16).replace("T", " ");
  }
  const rest = at - minute * MINUTE;
  const second = Math.floor(rest / SECOND);
  const micros = rest - second * SECOND;
  const millis = Math.floor(micros / 1000);
  const fraction = `${THOUSANDS[millis]}${THOUSANDS[micros - millis * 1000]}`;
  return `${cachedPrefix}${SECONDS[second]}${fraction}`;
}

export const isoMicros = (at: Micros): string => `${formatMicros(at).replace(" ", "T")}Z`;

/** Parses both formats above; NaN for other text. */
export function parseMicros(text: string): Micros {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z?$/.exec(text);
  if (!match) return Number.NaN;
  const millis = Date.parse(`${match[1]}T${match[2]}Z`);
  return millis * 1000 + Number((match[3] ?? "").padEnd(6, "0"));
}

/** Returns a function that gives what a clock of the zone shows at a time, as if it showed UTC. */
export function clockIn(timezone: string): (at: Micros) => Micros {
  // The locale of Sweden writes dates as ISO 8601 does.
  const clock = new Intl.DateTimeFormat("sv-SE", {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return (at) => {
    const second = Math.floor(at / SECOND);
    return parseMicros(clock.format(second * 1000)) + at - second * SECOND;
  };
}

/** Returns the UTC date, `YYYY-MM-DD`. */
export const dateOf = (at: Micros): string => formatMicros(at).slice(0, 10);
