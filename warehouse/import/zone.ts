/** Milliseconds since the Unix epoch. */
type Millis = number;

const HOUR: Millis = 3_600_000;

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a converter from local time, written as if it were UTC, to UTC. A repeated time is its
 * first occurrence; a skipped time moves forward.
 */
export function zoneConverter(zone: string): (local: Millis) => Millis {
  const offsetAt = offsetsOf(zone);
  return (local) => {
    const before = offsetAt(local - 24 * HOUR);
    const after = offsetAt(local + 24 * HOUR);
    const candidates = [before, after].map((offset) => ({ offset, at: local - offset }));
    const valid = candidates.filter(({ offset, at }) => offsetAt(at) === offset);
    return valid.length === 0 ? local - before : Math.min(...valid.map(({ at }) => at));
  };
}

/** Step of cached offsets: an offset changes at a full quarter of an hour. */
const STEP: Millis = HOUR / 4;

function offsetsOf(zone: string): (at: Millis) => Millis {
  const known = new Map<number, Millis>();
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (at) => {
    const step = Math.floor(at / STEP);
    const found = known.get(step);
    if (found !== undefined) return found;
    const parts = format.formatToParts(step * STEP);
    const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
    const local = Date.UTC(
      ...([part("year"), part("month") - 1, part("day")] as const),
      ...([part("hour"), part("minute"), part("second")] as const),
    );
    known.set(step, local - step * STEP);
    return local - step * STEP;
  };
}
