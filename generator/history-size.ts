import { isoMicros, MINUTE, type Micros } from "../contract/time.ts";
import { dayWeightOf } from "./behaviour/behaviour.ts";
import type { ModelConfig } from "./behaviour/config.ts";
import { dailyCoefficient, meanBudget, segments } from "./model/budget.ts";
import { tickMicros } from "./model/config.ts";

/** Measured with 7 model days of both behaviours on 2026-11-27: 2.35 (plain) and 2.56 (shop). */
const MESSAGES_PER_EVENT = 2.45;
/** Two cores: 200,000 messages per second published, and 75,000 loaded (docs/benchmarks.md). */
const SECONDS_PER_MESSAGE = 1 / 200_000 + 1 / 75_000;
/** Measured on 2026-11-28: 32 compressed bytes in Kafka, 150 in all layers of ClickHouse. */
const BYTES_PER_MESSAGE = 182;

/** Expected size of a history; the caps of sessions and users may make it smaller. */
export interface HistorySize {
  readonly events: number;
  readonly messages: number;
  /** Time to publish and load it, seconds. */
  readonly seconds: number;
  readonly bytes: number;
}

export function estimateSize(config: ModelConfig, from: Micros, to: Micros): HistorySize {
  const events = expectedWith(config)(from, to);
  const messages = events * MESSAGES_PER_EVENT;
  return {
    events,
    messages,
    seconds: messages * SECONDS_PER_MESSAGE,
    bytes: messages * BYTES_PER_MESSAGE,
  };
}

export const describeSize = ({ events, messages, seconds, bytes }: HistorySize): string =>
  `about ${rounded(events)} page events in ${rounded(messages)} messages, ${durationOf(seconds)}, ${rounded(Math.ceil(bytes / 1e6))} MB of disk`;

const durationOf = (seconds: number): string =>
  seconds < 120 ? `${Math.ceil(seconds)} s` : `${rounded(Math.ceil(seconds / 60))} min`;

const numbers = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const rounded = (value: number): string => numbers.format(value);

/** Refusal of a history that is larger than allowed. */
export interface TooLarge {
  readonly reason: string;
  readonly hint: string;
  /** Smallest round limit that allows the history. */
  readonly maxEvents: number;
}

/** Compares a history with the limit. @returns null if it is allowed */
export function compareSize(
  size: HistorySize,
  { from, to, maxEvents: limit }: { from: Micros; to: Micros; maxEvents: number },
): TooLarge | null {
  if (size.events <= limit) return null;
  const maxEvents = roundUp(size.events);
  return {
    reason: `The history from ${isoMicros(from)} to ${isoMicros(to)} has ${describeSize(size)}. Allowed: ${limit.toLocaleString("en-US")} page events`,
    hint: `allow ${maxEvents}: GEN_MAX_BACKFILL_EVENTS of the generator's start, --max-events of a command, max_events in Airflow`,
    maxEvents,
  };
}

/** Rounds up to two digits, with room for the model time that passes until the history begins. */
function roundUp(events: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(events)) - 1);
  return Math.ceil((events * 1.01) / unit) * unit;
}

/** Returns the mean page events per model minute at a coefficient, within a tick's limits. */
export function intensity(config: ModelConfig): (coefficient: number) => number {
  const tickMinutes = tickMicros(config) / MINUTE;
  return (coefficient) =>
    meanBudget(config.eventsPerMinute * coefficient * tickMinutes, config) / tickMinutes;
}

/** Expected number of page events in [from, to). */
export type Expected = (from: Micros, to: Micros) => number;

/** Base × daily coefficient × weight of the day, within a tick's limits. */
export function expectedWith(config: ModelConfig): Expected {
  const coefficientAt = dailyCoefficient(config.timezone);
  const weightOf = dayWeightOf(config);
  const weightAt = (at: Micros) => coefficientAt(at) * weightOf(at);
  const perMinute = intensity(config);
  return (from, to) =>
    segments(weightAt, from, to).reduce(
      (sum, { start, end, coefficient }) => sum + perMinute(coefficient) * ((end - start) / MINUTE),
      0,
    );
}
