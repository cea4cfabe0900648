import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { SourceRecord } from "../../contract/source.ts";
import { SOURCE_TOPICS, STATE_TOPIC } from "../../contract/topics.ts";
import { sentIn } from "../../generator/operations/record.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { registerEpoch } from "../../kafka/epoch-writer.ts";
import { BrokerError } from "../../kafka/errors.ts";
import { waitForDecidedRanges } from "../../kafka/open-transactions.ts";
import { readLatest } from "../../kafka/read.ts";
import { readSourceRecords } from "../../kafka/sources.ts";
import { currentEpoch } from "./epoch.ts";
import { isUnfinishedLoad, type Source } from "./source.ts";
import { readSources, storeSource } from "./stored.ts";

/** Reads the sources after open transactions end, because a commit reaches topics one by one. */
export async function readBrokerSources(admin: Admin, epoch: number): Promise<Source[]> {
  await waitForDecidedRanges(admin, SOURCE_TOPICS);
  const sources: Source[] = [];
  for (const [key, record] of await readSourceRecords(admin, epoch)) {
    if (record.kind !== "generator") sources.push({ name: key, ...record });
    else {
      const state = await readLatest(admin, STATE_TOPIC, key);
      sources.push(generatorOf(key, record, state?.value?.toString()));
    }
  }
  return sources;
}

export function generatorOf(key: string, record: SourceRecord, state: string | undefined): Source {
  const source = { name: `generator ${key}`, ...record };
  if (!state) return source;
  const { lacksState: _, ...rest } = source;
  return { ...rest, ...sentIn(state) };
}

/** Copies sources to the database. @returns null if the broker has none or the database is ahead */
export async function syncSources(db: Database, admin: Admin): Promise<number | null> {
  const epoch = await shareEpoch(db, admin);
  if (epoch === null) return null;
  for (const source of await newerSources(db, admin, epoch)) await storeSource(db, epoch, source);
  return epoch;
}

/** Reads the sources of the database's epoch from the broker, for commands that write nothing. */
export async function sourcesAtBroker(db: Database, admin: Admin): Promise<Source[]> {
  const epoch = (await readEpoch(admin))?.epoch;
  if (epoch === undefined) return [];
  const latest = "SELECT max(epoch) AS latest FROM stg.epoch HAVING latest = {epoch:UInt64}";
  return (await db.rows(latest, { epoch })).length > 0 ? newerSources(db, admin, epoch) : [];
}

async function newerSources(db: Database, admin: Admin, epoch: number): Promise<Source[]> {
  const known = new Set((await readSources(db, epoch)).map(({ name }) => name));
  const sources = await readBrokerSources(admin, epoch);
  // The stored statement, written while the broker had the state, is more exact.
  return sources.filter((source) => !(source.lacksState && known.has(source.name)));
}

async function shareEpoch(db: Database, admin: Admin): Promise<number | null> {
  const epoch = (await readEpoch(admin))?.epoch;
  if (epoch === undefined || !(await registerEpoch(db, epoch, "seen at the broker"))) return null;
  return (await currentEpoch(db)) === epoch ? epoch : null;
}

/** Stores the sources, except damaged records. @param isFinal true if nobody publishes */
export async function storeLastSources(
  db: Database,
  admin: Admin,
  isFinal: boolean,
): Promise<void> {
  const epoch = await shareEpoch(db, admin);
  if (epoch === null) return;
  const sources = await readBrokerSources(admin, epoch).catch((error: unknown) => {
    if (error instanceof BrokerError || !(error instanceof UserError)) throw error;
    return [];
  });
  for (const source of sources) {
    // Without generator state, a statement is only a lower bound.
    if (source.lacksState) continue;
    // An interrupted load stays unfinished, although it can send nothing more.
    await storeSource(db, epoch, { ...source, isFinal: isFinal && !isUnfinishedLoad(source) });
  }
}

/** Refuses another broker. @throws UserError if the database has a later epoch than the broker */
export async function requireSameEpoch(db: Database, admin: Admin): Promise<void> {
  const epoch = (await readEpoch(admin))?.epoch;
  if (epoch === undefined || (await currentEpoch(db)) <= epoch) return;
  throw new UserError(
    "The database has a later epoch than the broker: it has read from another broker",
    "run `pipeline topics --reset`, which begins an epoch that is later than both",
  );
}
