/** A request as it arrived. */
export interface Arrival {
  readonly path: string;
  /** Text after decompression. */
  readonly body: string;
  readonly query: URLSearchParams;
  /** Time of the request, milliseconds since 1970. */
  readonly at: number;
  readonly agent: string;
  /** First language of the browser. */
  readonly language: string;
  /** Returns the address that a tracker names, or else that of the request, as it may be kept. */
  addressOf(named?: unknown): string;
  /** Returns the same id for one visitor of a site on one day (Plausible's way, without a cookie). */
  visitorOf(site: string): string;
}

/** One event of a tracker as JSON, with what only the collector knows. */
export type Hit = Readonly<Record<string, unknown>>;

/** How a tracker talks. Its SELECT in sql/hits or sql/sources says what the events mean. */
export interface Protocol {
  readonly name: string;
  /** Matches the method and the path, such as `POST /i`. */
  readonly matches: RegExp;
  /** Returns the events of a request, made one by one, since a small request can give much. @throws BadHit if it has none */
  hitsOf(arrival: Arrival): Iterable<Hit>;
  /** Returns the site of one of its hits. */
  siteOf(hit: Hit): unknown;
}

/** The reason why a request is no hit. */
export class BadHit extends Error {}

/** Most events of a request. */
const MOST_EVENTS = 10_000;

export type Json = Readonly<Record<string, unknown>>;

/** @throws BadHit if the text is no JSON object or array */
export function parse(text: string): Json | unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadHit(`the body is not JSON: ${(error as Error).message}`);
  }
  if (typeof value === "object" && value !== null) return value as Json | unknown[];
  throw new BadHit("the body is not a JSON object");
}

/** @throws BadHit if a value is no object, or for too many */
export function objectsOf(values: unknown, place: string): Json[] {
  if (!Array.isArray(values)) throw new BadHit(`${place} is not an array`);
  if (values.length === 0) throw new BadHit(`${place} is empty`);
  if (values.length > MOST_EVENTS) throw new BadHit(`${place} has more than ${MOST_EVENTS} events`);
  if (values.some((value) => objectIn(value) !== value))
    throw new BadHit(`${place} has a value that is not an object`);
  return values;
}

export const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

export const objectIn = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

/**
 * Returns when an event happened, by the clock of the collector: the page's clock may be wrong, so only the time
 * between the event and its sending counts. Without a time of sending, the page's clock counts until the request.
 * https://docs.snowplow.io/docs/fundamentals/canonical-event/#timestamp-fields
 */
export function timeOf(at: number, happened: unknown, sent: unknown): string {
  const [event, sending] = [happened, sent].map(millisecondsOf);
  if (event === undefined) return new Date(at).toISOString();
  if (sending === undefined) return new Date(Math.min(event, at)).toISOString();
  return new Date(at - Math.max(0, sending - event)).toISOString();
}

function millisecondsOf(time: unknown): number | undefined {
  const text = textOf(time);
  if (/^\d{9,15}(\.\d+)?$/.test(text)) return Number(text);
  // The parser takes other texts for times, such as 1.
  const value = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(value) ? undefined : value;
}
