import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { EPOCH_TOPIC, EVENT_TOPICS, SOURCE_TOPICS } from "../../contract/topics.ts";
import type { TopicEnds } from "../../kafka/consumer-lag.ts";
import { readIntactEpoch } from "../../kafka/epoch.ts";
import { waitForOpenTransactions } from "../../kafka/open-transactions.ts";
import { type OffsetRange, offsetRanges } from "../../kafka/read.ts";
import { queueState } from "../ingest/consumption.ts";
import { storeLastSources } from "../sources/broker.ts";
import { readSources } from "../sources/stored.ts";
import { readQuery } from "../sql.ts";
import type { UndeliveredMessages } from "./feed.ts";
import { type StoredLine, storedOffsets } from "./messages.ts";
import { sum } from "./reconciliation.ts";
import { findUndelivered, readPositions } from "./undelivered.ts";

/**
 * Waits until all committed messages are in stg.
 * @throws UserError naming the messages not stored, BrokerError if a transaction stays open
 */
export async function closeEpoch(
  db: Database,
  admin: Admin,
  { isFinal }: { readonly isFinal: boolean },
): Promise<void> {
  const present = new Set(await admin.listTopics());
  if ((await queueState(db)) === "absent" || !present.has(EPOCH_TOPIC)) return;
  const epoch = (await readIntactEpoch(admin))?.epoch;
  if (epoch === undefined) return;
  const positions = await readPositions(db, admin, await decidedEnds(admin, present));
  const stored = await db.rows<StoredLine>(readQuery("checks/stored_offsets.sql"));
  const lines = await findUndelivered(admin, positions, storedOffsets(stored), epoch);
  const known = await knownEpochs(db);
  const undelivered = lines.filter((line) => known.has(line.epoch));
  if (undelivered.length > 0) throw wouldBeLost(undelivered);
  const hasSources = SOURCE_TOPICS.every((topic) => present.has(topic));
  // Emptied layers have nothing to compare the sources with.
  const isHeld =
    stored.some((line) => line.epoch === epoch) || (await readSources(db, epoch)).length > 0;
  if (hasSources && isHeld) await storeLastSources(db, admin, isFinal);
}

/** Returns the ends of decided messages per topic; empty for a missing topic. */
async function decidedEnds(admin: Admin, present: ReadonlySet<string>): Promise<TopicEnds> {
  const ends: OffsetRange[][] = [];
  for (const topic of EVENT_TOPICS) {
    if (present.has(topic)) await waitForOpenTransactions(admin, topic);
    ends.push(present.has(topic) ? await offsetRanges(admin, topic) : []);
  }
  return ends;
}

async function knownEpochs(db: Database): Promise<Set<number>> {
  const rows = await db.rows<{ epoch: number }>("SELECT DISTINCT epoch FROM stg.epoch");
  return new Set(rows.map(({ epoch }) => epoch));
}

function wouldBeLost(lines: readonly UndeliveredMessages[]): UserError {
  const counts = lines.map(
    ({ stream, days, step }) => `${sum([...days.values()])} ${stream} messages (${step})`,
  );
  const hint = [...new Set(lines.map((line) => line.hint))].join(" and ");
  return new UserError(
    `Re-creating the topics deletes messages that the database has not stored: ${counts.join(", ")}. Nothing was changed`,
    `${hint}, then retry; or empty the layers too: run \`pipeline data --replace\`, or a clean start`,
  );
}
