import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { EPOCH_TOPIC, EVENT_TOPICS, MANIFEST_TOPIC, STATE_TOPIC } from "../../contract/topics.ts";
import { untilDecided } from "../../kafka/decided.ts";
import { readIntactEpoch } from "../../kafka/epoch.ts";
import { type OffsetRange, offsetRanges } from "../../kafka/read.ts";
import type { Ends } from "../broker/arrived.ts";
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
 * in stg, and stores what the sources sent. Messages of epochs that the database does not know, because they
 * come from another one, do not count.
 * @throws UserError naming the messages that no reader has stored
 * @throws BrokerError when a transaction stays open: what lies behind it cannot be read
 */
export async function closeEpoch(
  db: Database,
  admin: Admin,
  { isFinal, withinMs }: CloseOptions,
): Promise<void> {
  const readers = [...(await attachedQueues(db)), ...(await detachedQueues(db))];
  const present = new Set(await admin.listTopics());
  if (readers.length === 0 || !present.has(EPOCH_TOPIC)) return;
  const epoch = (await readIntactEpoch(admin))?.epoch;
  if (epoch === undefined) return;
  const positions = await readPositions(db, admin, await decidedEnds(admin, present), withinMs);
  const stored = await storedOf(db, epoch);
  const lines = await Promise.all(
    positions.map((position) => findUndelivered(admin, position, stored, epoch)),
  );
  const known = await knownEpochs(db);
  const unread = lines.flat().filter((line) => known.has(line.epoch));
  if (unread.length > 0) throw wouldBeLost(unread);
  const hasSources = SOURCE_TOPICS.every((topic) => present.has(topic));
  // Layers that were emptied meanwhile hold nothing that its sources could be compared with.
  if (hasSources && (await isStored(db, epoch))) await storeLastSources(db, admin, isFinal);
}

const SOURCE_TOPICS = [STATE_TOPIC, MANIFEST_TOPIC];

/** Ends of the event topics with nothing undecided before them; of a missing topic there is nothing. */
async function decidedEnds(admin: Admin, present: ReadonlySet<string>): Promise<Ends> {
  const ends: OffsetRange[][] = [];
  for (const topic of EVENT_TOPICS) {
    if (present.has(topic)) await untilDecided(admin, topic);
    ends.push(present.has(topic) ? await offsetRanges(admin, topic) : []);
  }
  return ends;
}

/** Whether the database holds messages or sources of an epoch. */
async function isStored(db: Database, epoch: number): Promise<boolean> {
  for (const table of ["manifest", ...STREAMS.map((stream) => `${stream}_raw`)]) {
    const rows = await db.rows(`SELECT 1 FROM stg.${table} WHERE epoch = {epoch:UInt64} LIMIT 1`, {
      epoch,
    });
    if (rows.length > 0) return true;
  }
  return false;
}

async function knownEpochs(db: Database): Promise<Set<number>> {
  const rows = await db.rows<{ epoch: number }>("SELECT DISTINCT epoch FROM stg.epoch");
  return new Set(rows.map(({ epoch }) => epoch));
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
