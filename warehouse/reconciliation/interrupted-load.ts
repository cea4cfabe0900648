import type { Database } from "../../contract/ports.ts";
import { totalOf } from "../../contract/statement.ts";
import { formatCount } from "../../terminal/format.ts";
import { hintToRun } from "../database/command.ts";
import { isUnfinishedLoad, mayHaveSentMore, type Source, sentBy } from "../sources/source.ts";
import { type MessageLine, sum, type WaitingLine } from "./reconciliation.ts";

export function waitingForLoads(
  db: Database,
  epoch: number,
  sources: readonly Source[],
  messages: readonly MessageLine[],
): WaitingLine[] {
  const own = messages.filter((line) => line.epoch === epoch);
  return sources.filter(isUnfinishedLoad).map((source) => ({
    layer: "stg",
    stream: null,
    count: 0,
    oldestSeconds: null,
    step: "pipeline data",
    reason: reasonOf(source, storedOf(source, sources, own)),
    hint: repeatCommand(db, source),
  }));
}

/** Notes unfinished loads of earlier epochs, which do not change the verdict. */
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

const reasonOf = ({ kind, name }: Source, count: number): string =>
  `the ${kind === "replay" ? "command" : "load"} "${name}" is running, or was interrupted, after ${formatCount(count)} messages`;

function storedOf(
  source: Source,
  all: readonly Source[],
  lines: readonly Pick<MessageLine, "raw" | "undelivered">[],
): number {
  const others = all.filter((other) => other !== source);
  const stated = totalOf(source.statement);
  if (stated > 0 || others.some(mayHaveSentMore)) return stated;
  const present = sum(lines.map(({ raw, undelivered }) => raw + undelivered));
  return Math.max(0, present - totalOf(sentBy(others)));
}

function repeatCommand(db: Database, { kind, name, command }: Source): string {
  if (kind === "replay") {
    return hintToRun(db, "rejected replay --select FILE", "make replay SELECT=FILE");
  }
  if (db.directory === undefined) {
    return `${hintToRun(db, "data")}, which loads from the start in a new epoch`;
  }
  if (kind === "load") {
    return `${hintToRun(db, "data")} with the same --dataset and --limit: it loads from the start in a new epoch`;
  }
  return command
    ? `${hintToRun(db, command)} to generate the data again`
    : `start the ${name} again`;
}
