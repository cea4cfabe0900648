import type { Database } from "../../contract/ports.ts";
import type { Statement } from "../../contract/statement.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import type { StoredOffsets, Undelivered } from "./feed.ts";
import { type MessageLine, sum } from "./ledger.ts";
import { perStream } from "./per-stream.ts";

/** One row of `sql/checks/messages.sql`. */
export interface FoundLine {
  readonly stream: StreamName;
  readonly day: string;
  readonly raw: number;
  readonly typed: number;
  readonly rejected: number;
  readonly pending: number;
  /** Age of the oldest pending message, seconds; null where none is pending. */
  readonly pending_seconds: number | null;
  /** Whether the very rows of stg are those of ods, not just as many. */
  readonly same_rows: boolean;
  /** The highest offset in stg by partition, as JSON writes keys: text. */
  readonly stored: Readonly<Record<string, number>>;
}

/** What had been sent before and after the messages were counted. */
export interface Bounds {
  readonly before: Statement;
  /** Null where it is not known: a source may have gone on sending. */
  readonly after: Statement | null;
}

export const findMessages = (db: Database, epoch: number): Promise<FoundLine[]> =>
  perStream<FoundLine>(db, "messages", { epoch });

/** The highest offset in stg, by stream and partition. */
export function storedOffsets(found: readonly FoundLine[]): Map<StreamName, StoredOffsets> {
  const all = new Map<StreamName, Map<number, number>>();
  for (const { stream, stored } of found) {
    const offsets = all.get(stream) ?? new Map<number, number>();
    all.set(stream, offsets);
    for (const [key, offset] of Object.entries(stored)) {
      const partition = Number(key);
      offsets.set(partition, Math.max(offset, offsets.get(partition) ?? -1));
    }
  }
  return all;
}

/**
 * One line per stream and day, with what was sent. Where a message has no emission time its day is
 * unknown: then there is one line per stream.
 */
export function messageLines(
  found: readonly FoundLine[],
  bounds: Bounds | undefined,
  undelivered: readonly Undelivered[],
): MessageLine[] {
  const hasDays =
    found.every(({ day }) => day !== "") && undelivered.every(({ days }) => !days.has(""));
  const lines = hasDays
    ? [...found, ...silentDays(found, bounds, undelivered)]
    : withoutDays(found);
  return lines.map((line) => accountFor(line, bounds, undeliveredOf(undelivered, line)));
}

function accountFor(line: FoundLine, bounds: Bounds | undefined, undelivered: number): MessageLine {
  const { stream, day, raw, typed, rejected, pending } = line;
  const present = raw + undelivered;
  const most = bounds?.after ? sentOf(bounds.after, line) : Number.POSITIVE_INFINITY;
  const generated = bounds ? Math.min(most, Math.max(sentOf(bounds.before, line), present)) : null;
  const fromSource = generated === null ? 0 : Math.abs(generated - present);
  const toOds = Math.abs(raw - typed - rejected - pending);
  // One lost and one doubled row: the counts agree, the rows do not.
  const unaccounted = Math.max(fromSource + toOds, line.same_rows ? 0 : 2);
  const inFlight = generated === null || !Number.isFinite(most) ? 0 : most - generated;
  const counts = { raw, typed, rejected, pending };
  return { stream, day, generated, inFlight, undelivered, ...counts, unaccounted };
}

function undeliveredOf(
  undelivered: readonly Undelivered[],
  { stream, day }: Pick<FoundLine, "stream" | "day">,
): number {
  const days = undelivered.find((line) => line.stream === stream)?.days;
  if (!days) return 0;
  return day === "" ? sum([...days.values()]) : (days.get(day) ?? 0);
}

const sentOf = (
  { counts, days }: Statement,
  { stream, day }: Pick<FoundLine, "stream" | "day">,
): number => (day === "" ? counts[stream] : (days[day]?.[stream] ?? 0));

/** Messages without an emission time belong to no known day: one line per stream. */
function withoutDays(lines: readonly FoundLine[]): FoundLine[] {
  return STREAMS.map((stream) => {
    const own = lines.filter((line) => line.stream === stream);
    return {
      ...nothing(stream, ""),
      raw: sum(own.map((line) => line.raw)),
      typed: sum(own.map((line) => line.typed)),
      rejected: sum(own.map((line) => line.rejected)),
      pending: sum(own.map((line) => line.pending)),
      same_rows: own.every((line) => line.same_rows),
    };
  });
}

/** Days of which stg holds nothing at all must not be overlooked. */
function silentDays(
  found: readonly FoundLine[],
  bounds: Bounds | undefined,
  undelivered: readonly Undelivered[],
): FoundLine[] {
  const present = new Set(found.map((line) => `${line.stream} ${line.day}`));
  const days = new Set([
    ...Object.keys((bounds?.after ?? bounds?.before)?.days ?? {}),
    ...undelivered.flatMap((line) => [...line.days.keys()]),
  ]);
  return [...days].flatMap((day) =>
    STREAMS.filter((stream) => !present.has(`${stream} ${day}`)).map((stream) =>
      nothing(stream, day),
    ),
  );
}

const nothing = (stream: StreamName, day: string): FoundLine => ({
  ...{ stream, day, raw: 0, typed: 0, rejected: 0, pending: 0 },
  ...{ pending_seconds: null, same_rows: true, stored: {} },
});
