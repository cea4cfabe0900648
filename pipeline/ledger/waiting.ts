import type { Database } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { readQuery } from "../sql.ts";
import type { Undelivered } from "./feed.ts";
import { type Layer, sum, type WaitingLine } from "./ledger.ts";
import type { FoundLine } from "./messages.ts";

/** One row of `sql/checks/waiting.sql`. */
interface BehindLine extends Omit<WaitingLine, "next" | "oldestSeconds"> {
  readonly layer: Layer;
  readonly oldest_seconds: number;
}

/** What waits for stg (`undelivered`), for ods (`found`), for dds and for dm; empty lines are left out. */
export async function findWaiting(
  db: Database,
  found: readonly FoundLine[],
  undelivered: readonly Undelivered[],
): Promise<WaitingLine[]> {
  const next = loadCommand(db);
  const behind = await db.rows<BehindLine>(readQuery("checks/waiting.sql"));
  return [
    ...undelivered.map(waitingForStg),
    ...waitingForOds(found, next),
    ...behind.map(({ oldest_seconds, ...line }) => ({
      ...line,
      oldestSeconds: oldest_seconds,
      next,
    })),
  ].filter(({ count }) => count > 0);
}

const waitingForStg = ({ stream, days, oldestSeconds, step, next }: Undelivered): WaitingLine => ({
  layer: "stg",
  stream,
  count: sum([...days.values()]),
  oldestSeconds,
  step,
  next,
});

const waitingForOds = (found: readonly FoundLine[], next: string): WaitingLine[] =>
  STREAMS.map((stream) => {
    const own = found.filter((line) => line.stream === stream);
    return {
      layer: "ods",
      stream,
      count: sum(own.map(({ pending }) => pending)),
      oldestSeconds: Math.max(0, ...own.map(({ pending_seconds }) => pending_seconds ?? 0)),
      step: "load_ods",
      next,
    };
  });

/** Runs the batch process where the database is. */
const loadCommand = ({ kind, label }: Database): string =>
  kind === "server" ? "make transform" : `pipeline transform --no-full-refresh (on ${label})`;
