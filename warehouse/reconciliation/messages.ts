import type { Database } from "../../contract/ports.ts";
import { emptyStatement, type Statement } from "../../contract/statement.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { perStream } from "../sql.ts";
import type { CutOffsets, StoredOffsets, UndeliveredMessages } from "./feed.ts";
import { type MessageLine, sum, sums } from "./reconciliation.ts";

export interface StoredLine {
  readonly epoch: number;
  readonly stream: StreamName;
  /** Highest offset in stg by partition; JSON keys are text. */
  readonly stored: Readonly<Record<string, number>>;
}

export interface FoundLine extends StoredLine {
  readonly day: string;
  readonly raw: number;
  readonly typed: number;
  readonly rejected: number;
  readonly pending: number;
  /** Age of the oldest waiting message; null if none waits. */
  readonly pending_seconds: number | null;
  /** True if stg and ods have the same rows, not only as many. */
  readonly same_rows: boolean;
}

export interface Bounds {
  readonly least: Statement;
  /** Largest count that the sources may have sent; null if unknown. */
  readonly most: Statement | null;
}

export const findMessages = (
  db: Database,
  epoch: number,
  ends: CutOffsets = new Map(),
): Promise<FoundLine[]> =>
  perStream<FoundLine>(db, "messages", (stream) => ({ epoch, ends: offsetsText(ends, stream) }));

/** Formats the ends of one stream as a parameter of type Map(Int32, Int64). */
export const offsetsText = (ends: CutOffsets, stream: StreamName): string =>
  `{${[...(ends.get(stream) ?? [])].map(([partition, end]) => `${partition}:${end}`).join(",")}}`;

export function storedOffsets(found: readonly StoredLine[]): StoredOffsets {
  const all = new Map<string, number>();
  const keyOf = (stream: StreamName, epoch: number, partition: number) =>
    `${stream} ${epoch} ${partition}`;
  for (const { stream, epoch, stored } of found) {
    for (const [partition, offset] of Object.entries(stored)) {
      const key = keyOf(stream, epoch, Number(partition));
      all.set(key, Math.max(offset, all.get(key) ?? -1));
    }
  }
  return (stream, epoch, partition) => all.get(keyOf(stream, epoch, partition)) ?? -1;
}

/** Lists epoch, stream and day. @param bounds an epoch without bounds is compared with no source */
export function messageLines(
  found: readonly FoundLine[],
  bounds: ReadonlyMap<number, Bounds>,
  undelivered: readonly UndeliveredMessages[],
): MessageLine[] {
  const held = [...found, ...undelivered.filter(({ days }) => days.size > 0)];
  const epochs = new Set([...held.map(({ epoch }) => epoch), ...bounds.keys()]);
  const isOf =
    (epoch: number) =>
    (line: { readonly epoch: number }): boolean =>
      line.epoch === epoch;
  return [...epochs]
    .sort((a, b) => a - b)
    .flatMap((epoch) =>
      linesOfEpoch(
        epoch,
        found.filter(isOf(epoch)),
        bounds.get(epoch),
        undelivered.filter(isOf(epoch)),
      ),
    );
}

function linesOfEpoch(
  epoch: number,
  found: readonly FoundLine[],
  bounds: Bounds | undefined,
  undelivered: readonly UndeliveredMessages[],
): MessageLine[] {
  const hasDays =
    found.every(({ day }) => day !== "") &&
    undelivered.every(({ days }) => !days.has("")) &&
    isDated(bounds?.least);
  const lines = hasDays
    ? [...found, ...silentDays(epoch, found, bounds, undelivered)]
    : withoutDays(epoch, found);
  return lines.map((line) => accountFor(line, bounds, undeliveredOf(undelivered, line)));
}

function accountFor(line: FoundLine, bounds: Bounds | undefined, undelivered: number): MessageLine {
  const { epoch, stream, day, raw, typed, rejected, pending } = line;
  const present = raw + undelivered;
  const most = bounds?.most ? sentOf(bounds.most, line) : Number.POSITIVE_INFINITY;
  const generated = bounds ? Math.min(most, Math.max(sentOf(bounds.least, line), present)) : null;
  const fromSource = generated === null ? 0 : Math.abs(generated - present);
  const toOds = Math.abs(raw - typed - rejected - pending);
  // The counts agree although one row is lost and one duplicated.
  const unaccounted = Math.max(fromSource + toOds, line.same_rows ? 0 : 2);
  const isLowerBound = generated !== null && !Number.isFinite(most);
  const inFlight = generated === null || isLowerBound ? 0 : most - generated;
  const counts = { raw, typed, rejected, pending };
  return {
    epoch,
    stream,
    day,
    generated,
    inFlight,
    undelivered,
    ...counts,
    unaccounted,
    ...(isLowerBound && { isLowerBound }),
  };
}

function undeliveredOf(
  undelivered: readonly UndeliveredMessages[],
  { stream, day }: Pick<FoundLine, "stream" | "day">,
): number {
  const days = undelivered.find((line) => line.stream === stream)?.days;
  if (!days) return 0;
  return day === "" ? sum([...days.values()]) : (days.get(day) ?? 0);
}

const isDated = ({ counts, days }: Statement = emptyStatement()): boolean =>
  STREAMS.every((stream) => sum(Object.values(days).map((day) => day[stream])) === counts[stream]);

const sentOf = (
  { counts, days }: Statement,
  { stream, day }: Pick<FoundLine, "stream" | "day">,
): number => (day === "" ? counts[stream] : (days[day]?.[stream] ?? 0));

function withoutDays(epoch: number, lines: readonly FoundLine[]): FoundLine[] {
  return STREAMS.map((stream) => {
    const own = lines.filter((line) => line.stream === stream);
    return {
      ...nothing(epoch, stream, ""),
      ...sums(own, ["raw", "typed", "rejected", "pending"]),
      same_rows: own.every((line) => line.same_rows),
    };
  });
}

function silentDays(
  epoch: number,
  found: readonly FoundLine[],
  bounds: Bounds | undefined,
  undelivered: readonly UndeliveredMessages[],
): FoundLine[] {
  const present = new Set(found.map((line) => `${line.stream} ${line.day}`));
  const days = new Set([
    ...Object.keys((bounds?.most ?? bounds?.least)?.days ?? {}),
    ...undelivered.flatMap((line) => [...line.days.keys()]),
  ]);
  return [...days].flatMap((day) =>
    STREAMS.filter((stream) => !present.has(`${stream} ${day}`)).map((stream) =>
      nothing(epoch, stream, day),
    ),
  );
}

const nothing = (epoch: number, stream: StreamName, day: string): FoundLine => ({
  epoch,
  stream,
  day,
  raw: 0,
  typed: 0,
  rejected: 0,
  pending: 0,
  pending_seconds: null,
  same_rows: true,
  stored: {},
});
