import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { z } from "zod";
import { defectCountsSchema } from "../../contract/defects.ts";
import { UserError } from "../../contract/errors.ts";
import type { Manifest } from "../../contract/manifest.ts";
import type { Database } from "../../contract/ports.ts";
import { earlierSettingsSchema, settingsSchema } from "../../contract/settings.ts";
import { emptyStatement, statementOf, statementSchema } from "../../contract/statement.ts";
import { STREAMS } from "../../contract/streams.ts";
import { SOURCE_TOPICS, STATE_TOPIC } from "../../contract/topics.ts";
import {
  type LoadRecord,
  parseFrame,
  type SourceRecord,
} from "../../generator/operations/record.ts";
import { manifestOf, readSourceRecords } from "../../generator/operations/sources.ts";
import { committedEnds } from "../../kafka/consumer-lag.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { registerEpoch } from "../../kafka/epoch-writer.ts";
import { BrokerError } from "../../kafka/errors.ts";
import { waitForDecidedRanges } from "../../kafka/open-transactions.ts";
import { type OffsetRange, readLatest } from "../../kafka/read.ts";
import { type Cut, currentEpoch, EpochChangedError, type SourceFeed } from "./feed.ts";
import {
  generatorSource,
  isGenerator,
  readSources,
  type Source,
  sentBy,
  storeSource,
} from "./source.ts";
import { findUndelivered, readPositions } from "./undelivered.ts";

const FOLLOWS_WITHIN_MS = 30_000;
const POLL_MS = 200;

const writtenSchema = z.object({
  ledger: z.object(statementSchema.shape),
  defects: defectCountsSchema,
  settings: settingsSchema,
  earlier: z.array(earlierSettingsSchema).default([]),
});

type Written = Pick<Source, "statement" | "defects" | "settings">;

/** Reads the sources after open transactions end, because a commit reaches topics one by one. */
async function readBrokerSources(admin: Admin, epoch: number): Promise<Source[]> {
  await waitForDecidedRanges(admin, SOURCE_TOPICS);
  const sources: Source[] = [];
  for (const [key, record] of await readSourceRecords(admin, epoch)) {
    sources.push(await toSource(admin, key, record));
  }
  return sources;
}

async function toSource(admin: Admin, key: string, record: SourceRecord): Promise<Source> {
  if ("kind" in record && record.kind === "load") return loadSource(key, record);
  const stored = await readLatest(admin, STATE_TOPIC, key);
  return generatorOf(key, manifestOf(record) ?? undefined, stored?.value?.toString());
}

export function generatorOf(
  key: string,
  manifest: Manifest | undefined,
  state: string | undefined,
): Source {
  const source = { name: generatorSource(key), manifest, isFinal: false };
  if (state) return { ...source, ...writtenBy(state) };
  const statement = manifest ? statementOf(manifest) : emptyStatement();
  return { ...source, statement, lacksState: true };
}

const loadSource = (
  name: string,
  { statement, manifest, isFinal, imported }: LoadRecord,
): Source => ({
  name,
  statement,
  manifest: manifest ?? undefined,
  ...(isFinal !== undefined && { isFinal }),
  ...(imported !== undefined && { imported }),
});

function writtenBy(text: string): Written {
  const { statement, generator } = parseFrame(text);
  const written = writtenSchema.safeParse(generator).data;
  if (written) {
    const { ledger, defects, settings, earlier } = written;
    const { counts, days } = ledger;
    return { statement: { counts, days }, defects, settings: { settings, earlier } };
  }
  if (statement) return { statement };
  throw new UserError(
    "The stored generator state has no message counts",
    "run `make generator-logs` to see the reason",
  );
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
    if (error instanceof BrokerError || !isDamage(error)) throw error;
    return [];
  });
  for (const source of sources) {
    // Without generator state, a statement is only a lower bound.
    if (source.lacksState) continue;
    // An interrupted load stays unfinished, although it can send nothing more.
    const isInterrupted = !isGenerator(source) && source.isFinal === false;
    await storeSource(db, epoch, { ...source, isFinal: isFinal && !isInterrupted });
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof UserError || error instanceof z.ZodError || error instanceof SyntaxError;

/** Refuses another broker. @throws UserError if the database has a later epoch than the broker */
export async function requireSameEpoch(db: Database, admin: Admin): Promise<void> {
  const epoch = (await readEpoch(admin))?.epoch;
  if (epoch === undefined || (await currentEpoch(db)) <= epoch) return;
  throw new UserError(
    "The database has a later epoch than the broker: it has read from another broker",
    "run `pipeline topics --reset`, which begins an epoch that is later than both",
  );
}

/** Opens the feed. @param isRetry registers a new epoch first @throws UserError without an epoch */
export async function openBrokerFeed(
  db: Database,
  admin: Admin,
  isRetry: boolean,
): Promise<SourceFeed> {
  if (isRetry) await waitForBrokerEpoch(db, admin);
  const epoch = await syncSources(db, admin);
  await requireSameEpoch(db, admin);
  if (epoch !== null) return brokerFeed(db, admin, epoch);
  throw new UserError("The broker has no epoch: its topics are missing", "run `make topics`");
}

async function waitForBrokerEpoch(db: Database, admin: Admin): Promise<void> {
  const end = Date.now() + FOLLOWS_WITHIN_MS;
  while (Date.now() < end && ((await readEpoch(admin))?.epoch ?? 0) < (await currentEpoch(db))) {
    await sleep(POLL_MS);
  }
}

export const brokerFeed = (db: Database, admin: Admin, epoch: number): SourceFeed => ({
  epoch,
  cut: async () => {
    const { before, after, ends } = await cutBetween(
      () => readBrokerSources(admin, epoch),
      () => committedEnds(admin),
    );
    if ((await readEpoch(admin))?.epoch !== epoch) throw new EpochChangedError();
    const positions = await readPositions(db, admin, ends);
    return {
      before,
      after,
      ends: new Map(STREAMS.map((stream, index) => [stream, byPartition(ends[index] ?? [])])),
      undelivered: (stored) => findUndelivered(admin, positions, stored, epoch),
    };
  },
});

const byPartition = (ranges: readonly OffsetRange[]): Map<number, bigint> =>
  new Map(ranges.map(({ partition, end }) => [partition, end]));

const ATTEMPTS = 20;

/** Reads topic ends between two readings of the sources: equal readings prove exact ends. */
export async function cutBetween<E>(
  readSources: () => Promise<Cut["before"]>,
  readEnds: () => Promise<E>,
  attempts = ATTEMPTS,
): Promise<Pick<Cut, "before" | "after"> & { readonly ends: E }> {
  let before = await readSources();
  for (let left = attempts - 1; ; left--) {
    const ends = await readEnds();
    const after = await readSources();
    if (left <= 0 || isSame(before, after)) return { before, after, ends };
    before = after;
  }
}

function isSame(before: Cut["before"], after: Cut["after"]): boolean {
  const [one, other] = [sentBy(before).counts, sentBy(after).counts];
  return STREAMS.every((stream) => one[stream] === other[stream]);
}
