import type { Database } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { hintToRun } from "../database/command.ts";
import { queueState } from "../ingest/consumption.ts";
import { readQuery } from "../sql.ts";
import type { UndeliveredMessages } from "./feed.ts";
import type { FoundLine } from "./messages.ts";
import { lagsOf, type Progress } from "./progress.ts";
import { type Layer, sum, type WaitingLine } from "./reconciliation.ts";

interface BehindLine extends Omit<WaitingLine, "hint" | "oldestSeconds" | "reason"> {
  readonly layer: Layer;
  readonly oldest_seconds: number;
}

/**
 * Lists waiting messages, and steps that are behind without waiting messages.
 * @param epoch current epoch
 */
export async function findWaiting(
  db: Database,
  epoch: number,
  found: readonly FoundLine[],
  undelivered: readonly UndeliveredMessages[],
  progress: Progress,
): Promise<WaitingLine[]> {
  const hint = hintToLoad(db);
  const behind = await db.rows<BehindLine>(readQuery("checks/waiting_rows.sql"), {
    dds_load: progress.dds_load,
    loads: Object.fromEntries(progress.dm_steps.map(({ step, load }) => [step, load])),
  });
  const waiting = [
    ...undelivered.map(({ days, epoch: own, ...line }): WaitingLine => {
      const count = sum([...days.values()]);
      return { layer: "stg", count, ...line, ...earlier(own, epoch) };
    }),
    ...waitingForOds(epoch, found, hint),
    ...behind.map(({ oldest_seconds, ...line }) => ({
      ...line,
      oldestSeconds: oldest_seconds,
      hint,
    })),
  ].filter(({ count }) => count > 0);
  const named = new Set(waiting.map(({ step }) => step));
  const lags = lagsOf(progress).filter(({ step }) => !named.has(step));
  return [...waiting, ...lags.map((lag) => ({ ...lag, stream: null, count: 0, hint }))];
}

/** Lists a detached reader, whose unread messages cannot be counted without a broker. */
export async function waitingForReader(db: Database): Promise<WaitingLine[]> {
  if ((await queueState(db)) !== "detached") return [];
  const line: WaitingLine = {
    layer: "stg",
    stream: null,
    count: 0,
    oldestSeconds: null,
    hint: "run `make topics`",
    step: "stg.queue (not attached)",
    reason: "the reader stg.queue is not attached: its unread messages are not counted",
  };
  return [line];
}

const waitingForOds = (epoch: number, found: readonly FoundLine[], hint: string): WaitingLine[] =>
  [...Map.groupBy(found, (line) => line.epoch)].flatMap(([own, lines]) =>
    STREAMS.map((stream) => waitingOfStream(stream, lines, { ...earlier(own, epoch), hint })),
  );

function waitingOfStream(
  stream: StreamName,
  lines: readonly FoundLine[],
  rest: Pick<WaitingLine, "epoch" | "hint">,
): WaitingLine {
  const own = lines.filter((line) => line.stream === stream);
  return {
    layer: "ods",
    stream,
    count: sum(own.map(({ pending }) => pending)),
    oldestSeconds: Math.max(0, ...own.map(({ pending_seconds }) => pending_seconds ?? 0)),
    step: "load_ods",
    ...rest,
  };
}

const earlier = (epoch: number, current: number): Pick<WaitingLine, "epoch"> =>
  epoch === current ? {} : { epoch };

export const hintToLoad = (db: Database): string =>
  hintToRun(db, "transform --no-full-refresh", "make transform");
