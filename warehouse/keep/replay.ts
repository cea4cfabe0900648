import { zeroCounts } from "../../contract/defects.ts";
import { UserError } from "../../contract/errors.ts";
import type { Database, MessageBatch, ReadableDatabase } from "../../contract/ports.ts";
import { emptyStatement, type Statement } from "../../contract/statement.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { REPLAY_KEY } from "../../contract/topics.ts";
import { withLease } from "../batch/lease.ts";
import { hintToRun } from "../database/command.ts";
import { StgPublisher } from "../loader/stg-publisher.ts";
import { readAllSources, storeSource } from "../sources/stored.ts";
import { fixRepairs, readRepairs, type TriedRepairs, tryRepairs } from "./rejected.ts";

/** Where repaired messages go. A database that it was opened for has all messages of earlier replays. */
export interface Destination {
  /** Resolves when the database has the messages. */
  publish(batch: MessageBatch): Promise<void>;
  close(): Promise<void>;
}

const BATCH = 20_000;

export interface ReplayOptions {
  /** Opens the destination; without it, nothing is sent. */
  readonly open?: (held: Database) => Promise<Destination>;
  /** Shows what will be sent. */
  readonly report: (tried: readonly TriedRepairs[]) => void;
}

/**
 * Sends the messages that a SELECT repairs, each once: what was sent before, also by a killed replay, is left out.
 * @returns the number of messages
 */
export const replay = (
  db: ReadableDatabase,
  select: string,
  { open, report }: ReplayOptions,
): Promise<number> =>
  withLease(db, "rejected replay", async ({ db: held }) => {
    const destination = await open?.(held);
    try {
      await fixRepairs(held, db, select);
      report(await tryRepairs(held));
      return destination ? await sendAll(held, destination) : 0;
    } finally {
      await destination?.close();
    }
  });

async function sendAll(held: Database, to: Destination): Promise<number> {
  const sent = new Set<string>();
  for (;;) {
    const batch = await readRepairs(held, BATCH);
    const all = STREAMS.flatMap((name) => batch[name].repairs.map((one) => `${name} ${one}`));
    if (all.length === 0) return sent.size;
    if (all.some((one) => sent.has(one))) {
      throw new UserError("stg.repair does not record what was sent", hintToRun(held, "ddl"));
    }
    await to.publish(batch);
    for (const one of all) sent.add(one);
  }
}

/** Partition of a workspace; the other one is that of loads and of the collector, which number their messages themselves. */
const PARTITION = 1;

/** Writes to stg of a workspace. */
export async function openStg(db: Database): Promise<Destination> {
  await db.run(REPEAT_VIEW);
  for (const [epoch, sources] of await readAllSources(db)) {
    if (sources.some(({ name }) => name === REPLAY_KEY)) await record(db, epoch, true);
  }
  return {
    publish: async (batch) => {
      const publisher = await StgPublisher.open(db, PARTITION);
      await record(db, publisher.epoch, false);
      await publisher.publish(batch);
      await publisher.close();
      await record(db, publisher.epoch, true);
    },
    close: async () => undefined,
  };
}

/** An engine that is killed between a table and its view leaves rows that the view lacks. */
const REPEAT_VIEW = `INSERT INTO stg.raw SELECT * FROM stg.raw FINAL
  WHERE repairs != '' AND (_topic, epoch, _partition, _offset) NOT IN (SELECT _topic, by_epoch, by_partition, by_offset FROM stg.repair)`;

async function record(db: Database, epoch: number, isFinal: boolean): Promise<void> {
  const statement = await statementOf(db, epoch);
  await storeSource(db, epoch, { name: REPLAY_KEY, kind: "replay", statement, isFinal });
}

async function statementOf(db: Database, epoch: number): Promise<Statement> {
  const rows = await db.rows<{ topic: string; day: string; messages: number }>(
    `SELECT _topic AS topic, ifNull(toString(toDate(emitted_at, 'UTC')), '') AS day, count() AS messages
     FROM stg.repair FINAL WHERE by_epoch = {epoch:UInt64} GROUP BY topic, day`,
    { epoch },
  );
  const statement = emptyStatement();
  for (const stream of STREAMS) {
    for (const { topic, day, messages } of rows) {
      if (topic !== streams[stream].topic) continue;
      statement.counts[stream] += messages;
      if (day === "") continue;
      statement.days[day] ??= zeroCounts();
      statement.days[day][stream] += messages;
    }
  }
  return statement;
}
