import type { Admin } from "@platformatic/kafka";
import { z } from "zod";
import { type DefectCounts, defectCountsSchema } from "../../contract/defects.ts";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { type Statement, statementSchema } from "../../contract/statement.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import { parseFrame, type SourceRecord } from "../../generator/operations/record.ts";
import { manifestOf, readSourceRecords } from "../../generator/operations/sources.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { readLatest } from "../../kafka/read.ts";
import { registerEpoch } from "../broker/epoch.ts";
import { readDelivery } from "./delivery.ts";
import { currentEpoch, type SourceFeed } from "./feed.ts";
import { generatorSource, type Source, storeSource } from "./source.ts";

/** What a generator's state says of its messages, whatever else is in it. */
const writtenSchema = z.object({
  ledger: z.object(statementSchema.shape),
  defects: defectCountsSchema,
});

/** All sources of the current epoch as the broker has them now, committed with their messages. */
async function readBrokerSources(admin: Admin, epoch: number): Promise<Source[]> {
  const sources: Source[] = [];
  for (const [key, record] of await readSourceRecords(admin, epoch)) {
    const source = await toSource(admin, key, record);
    if (source) sources.push(source);
  }
  return sources;
}

async function toSource(admin: Admin, key: string, record: SourceRecord): Promise<Source | null> {
  if ("kind" in record && record.kind === "load") {
    return { name: key, statement: record.statement, manifest: record.manifest ?? undefined };
  }
  const stored = await readLatest(admin, STATE_TOPIC, key);
  if (!stored?.value) return null;
  const written = writtenBy(stored.value.toString());
  return { name: generatorSource(key), ...written, manifest: manifestOf(record) ?? undefined };
}

function writtenBy(text: string): { statement: Statement; defects?: DefectCounts } {
  const { statement, generator } = parseFrame(text);
  const written = writtenSchema.safeParse(generator).data;
  if (written) {
    const { counts, days } = written.ledger;
    return { statement: { counts, days }, defects: written.defects };
  }
  if (statement) return { statement };
  throw new UserError(
    "The stored generator state tells nothing of its messages",
    "make generator-logs",
  );
}

/**
 * Copies epoch and sources from the broker to the database, where checks look for them.
 * @returns the epoch; null when the broker has none, or the database is ahead of it
 */
export async function syncSources(db: Database, admin: Admin): Promise<number | null> {
  const epoch = (await readEpoch(admin))?.epoch;
  if (epoch === undefined || !(await registerEpoch(db, epoch, "seen at the broker"))) return null;
  if ((await currentEpoch(db)) !== epoch) return null;
  for (const source of await readBrokerSources(admin, epoch)) await storeSource(db, epoch, source);
  return epoch;
}

/** @throws UserError where the database knows a later epoch than the broker: it read another one */
export async function requireSameEpoch(db: Database, admin: Admin): Promise<void> {
  const epoch = (await readEpoch(admin))?.epoch;
  if (epoch === undefined || (await currentEpoch(db)) <= epoch) return;
  throw new UserError(
    "The database knows a later epoch than the broker: it has read from another one",
    "pipeline topics --reset begins an epoch that is later than both",
  );
}

/** The sources as the broker has them, for a ledger that is taken while messages keep coming. */
export function brokerFeed(db: Database, admin: Admin, epoch: number): SourceFeed {
  return {
    read: () => readBrokerSources(admin, epoch),
    delivery: () => readDelivery(db, admin),
  };
}
