import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { topicSpecs } from "../../contract/topics.ts";
import { readIntactEpoch } from "../../kafka/epoch.ts";
import { committedEnds } from "../broker/arrived.ts";
import { attachedQueues, detachedQueues } from "../broker/consumption.ts";
import { storeLastSources } from "./broker-sources.ts";
import { findUndelivered, readPositions } from "./delivery.ts";
import type { StoredOffsets } from "./feed.ts";

export interface CloseOptions {
  /** Whether nobody publishes any more: then what the sources sent is final. */
  readonly isFinal: boolean;
  /** How long the readers may take to store what is committed, milliseconds. */
  readonly withinMs?: number;
}

/**
 * Called before the topics of an epoch are deleted and the layers kept: waits until everything committed is
 * in stg, and stores what the sources sent. An epoch of which the database has nothing is not its own.
 * @throws UserError naming the messages that no reader has stored
 */
export async function closeEpoch(
  db: Database,
  admin: Admin,
  { isFinal, withinMs }: CloseOptions,
): Promise<void> {
  const readers = [...(await attachedQueues(db)), ...(await detachedQueues(db))];
  const present = new Set(await admin.listTopics());
  // Without all topics, a reset that was cut off has closed the epoch already.
  if (readers.length === 0 || topicSpecs().some(({ name }) => !present.has(name))) return;
  const epoch = (await readIntactEpoch(admin))?.epoch;
  if (epoch === undefined) return;
  const positions = await readPositions(db, admin, await committedEnds(admin), withinMs);
  const stored = await storedOf(db, epoch);
  if (!(await isKnown(db, epoch))) return;
  const lines = await Promise.all(
    positions.map((position) => findUndelivered(admin, position, stored, epoch)),
  );
  const unread = lines.flat().filter((line) => line.epoch === epoch);
  if (unread.length > 0) throw wouldBeLost(unread);
  await storeLastSources(db, admin, isFinal);
}

/** Whether the database holds messages or sources of an epoch. */
async function isKnown(db: Database, epoch: number): Promise<boolean> {
  for (const table of ["manifest", ...STREAMS.map((stream) => `${stream}_raw`)]) {
    const rows = await db.rows(`SELECT 1 FROM stg.${table} WHERE epoch = {epoch:UInt64} LIMIT 1`, {
      epoch,
    });
    if (rows.length > 0) return true;
  }
  return false;
}

async function storedOf(db: Database, epoch: number): Promise<StoredOffsets> {
  const highest = new Map<string, number>();
  for (const stream of STREAMS) {
    const rows = await db.rows<{ partition: number; offset: number }>(
      `SELECT _partition AS partition, max(_offset) AS offset FROM stg.${stream}_raw
       WHERE epoch = {epoch:UInt64} GROUP BY partition`,
      { epoch },
    );
    for (const { partition, offset } of rows) highest.set(`${stream} ${partition}`, Number(offset));
  }
  return (stream, of, partition) =>
    of === epoch ? (highest.get(`${stream} ${partition}`) ?? -1) : -1;
}

interface Unread {
  readonly stream: StreamName;
  readonly days: ReadonlyMap<string, number>;
  readonly step: string;
  readonly next: string;
}

function wouldBeLost(unread: readonly Unread[]): UserError {
  const counts = unread.map(({ stream, days, step }) => {
    const count = [...days.values()].reduce((sum, of) => sum + of, 0);
    return `${count} ${stream} messages (${step})`;
  });
  const next = [...new Set(unread.map((line) => line.next))].join(" and ");
  return new UserError(
    `Re-creating the topics deletes messages that the database has not stored: ${counts.join(", ")}. Nothing was touched`,
    `${next}, then the same command again; or empty the layers too: pipeline data --replace, or a clean start`,
  );
}
