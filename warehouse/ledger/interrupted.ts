import type { Database } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { formatCount } from "../../terminal/format.ts";
import { commandOn } from "../database/command.ts";
import { type MessageLine, sum, type WaitingLine } from "./ledger.ts";
import { isGenerator, mayHaveSentMore, type Source, sentBy } from "./source.ts";

/** Name of the source that `pipeline demo` writes. */
export const DEMO_SOURCE = "demo";

/** True if a load began and did not end. Generators do not end. */
export const isUnfinishedLoad = (source: Source): boolean =>
  source.isFinal === false && !isGenerator(source);

/** Unfinished loads of the current epoch: what they were to send is not all there. */
export function waitingForLoads(
  db: Database,
  epoch: number,
  sources: readonly Source[],
  messages: readonly MessageLine[],
): WaitingLine[] {
  const own = messages.filter((line) => line.epoch === epoch);
  return sources.filter(isUnfinishedLoad).map((source) => ({
    ...{ layer: "stg", stream: null, count: 0, oldestSeconds: null, step: "pipeline data" },
    reason: reasonOf(db, source, storedOf(source, sources, own)),
    hint: repeatCommand(db, source.name),
  }));
}

/** Unfinished loads of earlier epochs. What was not sent is not lost: they change no verdict. */
export const interruptedNotes = (
  stored: ReadonlyMap<number, readonly Source[]>,
  current: number,
  messages: readonly MessageLine[],
): string[] =>
  [...stored]
    .filter(([epoch]) => epoch !== current)
    .flatMap(([epoch, sources]) => {
      const own = messages.filter((line) => line.epoch === epoch);
      return sources.filter(isUnfinishedLoad).map((source) => {
        const count = formatCount(storedOf(source, sources, own));
        return `The load "${source.name}" of epoch ${epoch} was interrupted after ${count} messages.`;
      });
    });

/** Only a load over a broker can still be running: the embedded engine serves one process. */
const reasonOf = ({ kind }: Database, { name }: Source, count: number): string =>
  kind === "embedded"
    ? `the load "${name}" was interrupted after ${formatCount(count)} messages`
    : `the load "${name}" is running, or was interrupted, after ${formatCount(count)} messages`;

/** Counts the messages of one load: those of its statement, else those present that no other source sent. */
function storedOf(
  source: Source,
  all: readonly Source[],
  lines: readonly Pick<MessageLine, "raw" | "undelivered">[],
): number {
  const others = all.filter((other) => other !== source);
  const stated = totalOf([source]);
  if (stated > 0 || others.some(mayHaveSentMore)) return stated;
  const present = sum(lines.map(({ raw, undelivered }) => raw + undelivered));
  return Math.max(0, present - totalOf(others));
}

function totalOf(sources: readonly Source[]): number {
  const { counts } = sentBy(sources);
  return sum(STREAMS.map((stream) => counts[stream]));
}

/** Loads everything again, under a new epoch, where the database is. */
function repeatCommand(db: Database, name: string): string {
  if (db.directory === undefined) {
    return "make data loads again from the start, under a new epoch";
  }
  if (name === DEMO_SOURCE) return `${commandOn(db, "demo")} generates it again`;
  return `${commandOn(db, "data")} (with the same --dataset and --limit) loads again from the start, under a new epoch`;
}
