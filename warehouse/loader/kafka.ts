import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import { UserError } from "../../contract/errors.ts";
import { type Database, emptyBatch } from "../../contract/ports.ts";
import type { SourceRecord } from "../../contract/source.ts";
import type { Statement } from "../../contract/statement.ts";
import { byStream, STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { EVENT_TOPICS } from "../../contract/topics.ts";
import type { Dataset } from "../../generator/dataset/format.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { requireEpoch, requireTopics } from "../../kafka/epoch.ts";
import { FencedError } from "../../kafka/errors.ts";
import { waitForDecidedRanges } from "../../kafka/open-transactions.ts";
import type { KafkaPublisher } from "../../kafka/publisher.ts";
import { type OffsetRange, readCommitted } from "../../kafka/read.ts";
import { readSourceTexts } from "../../kafka/sources.ts";
import type { LeaseOptions } from "../batch/lease.ts";
import { resetTopics } from "../epochs/topics.ts";
import { type LoadOptions, loadDataset } from "./load.ts";
import { acquireLoadKey } from "./source-lease.ts";

const LOAD_AGAIN = "run pipeline data again; it starts from scratch";

export interface KafkaLoadOptions extends LoadOptions {
  readonly connection: BrokerConnection;
  readonly admin: Admin;
  /** Database whose readers pause while topics are re-created, or null. */
  readonly database: Database | null;
  /** Re-creates the event topics first, in a new epoch. */
  readonly reset: boolean;
  /** Resets, or appends, even while a generator is live. */
  readonly force: boolean;
  readonly replace?: boolean;
  readonly onDelete?: () => void;
  readonly lease?: LeaseOptions;
}

export interface KafkaLoad {
  readonly statement: Statement;
  readonly epoch: number;
  readonly seconds: number;
}

/** Loads a dataset into the topics; commits the statement with the messages. @throws UserError */
export async function loadIntoKafka(
  dataset: Dataset,
  options: KafkaLoadOptions,
): Promise<KafkaLoad> {
  const { connection, admin } = options;
  if (options.reset) await reset(options);
  await requireTopics(admin);
  const epoch = await requireEpoch(admin);
  if (!options.reset) await refuseBesideLive(options);
  const { key, publisher } = await acquireLoadKey(admin, connection, epoch);
  const starts = await endsOf(admin);
  const isAlone = async () =>
    [...(await readSourceTexts(admin, epoch)).keys()].every((source) => source === key);
  try {
    const begun = performance.now();
    const statement = await publishAll(dataset, publisher, options, isAlone);
    const seconds = (performance.now() - begun) / 1000;
    await verifyLoaded(admin, starts, statement, await isAlone());
    return { statement, epoch: publisher.epoch, seconds };
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
    throw new UserError(
      `The load ${key} was interrupted: its topics were re-created, or another load took its key`,
      LOAD_AGAIN,
    );
  } finally {
    await publisher.close();
  }
}

const reset = ({ admin, database, force, replace, onDelete, lease }: KafkaLoadOptions) =>
  resetTopics(admin, {
    database,
    force,
    clearsLayers: replace === true,
    ...(onDelete && { onDelete }),
    ...(lease && { lease }),
    reason: "pipeline data",
    isLive: async () => (await liveInstances(admin)).length > 0,
  });

/** Refuses to append to a generator's epoch, in which it could not restart. @throws UserError */
async function refuseBesideLive({ admin, force }: KafkaLoadOptions): Promise<void> {
  const instances = force ? [] : await liveInstances(admin);
  if (instances.length === 0) return;
  throw new UserError(
    `Generator instance ${instances.join(", ")} is publishing, and could not restart after a load into its topics`,
    "run make generator-down, then pipeline data; --force appends anyway",
  );
}

async function publishAll(
  dataset: Dataset,
  publisher: KafkaPublisher,
  options: LoadOptions,
  isAlone: () => Promise<boolean>,
): Promise<Statement> {
  const recordOf = (sent: Statement, isFinal: boolean): SourceRecord => ({
    kind: "load",
    statement: structuredClone(sent),
    isFinal,
  });
  const statement = await loadDataset(
    dataset,
    (batch, sent) => publisher.publish(batch, { manifest: recordOf(sent, false) }),
    options,
  );
  await publisher.flush();
  const isWhole = options.limit === 0;
  const manifest = {
    ...recordOf(statement, true),
    ...(isWhole && (await isAlone()) && { manifest: dataset.manifest?.manifest }),
    ...(isWhole && dataset.imported && { imported: dataset.imported }),
  };
  await publisher.publishBatch(emptyBatch(), { manifest });
  return statement;
}

/** Number of messages above which only offsets are compared. */
const READ_BACK = 1_000_000;
/** Wait for open transactions, ms; long, because an uncounted message fails the load. */
const DECIDED_WITHIN_MS = 30_000;

export type StreamRanges = Readonly<Record<StreamName, readonly OffsetRange[]>>;

export async function endsOf(admin: Admin): Promise<StreamRanges> {
  const decided = await waitForDecidedRanges(admin, EVENT_TOPICS, DECIDED_WITHIN_MS);
  return byStream((stream) => decided[STREAMS.indexOf(stream)] ?? []);
}

/** Compares topics with the messages sent; reads small loads again. @throws UserError */
async function verifyLoaded(
  admin: Admin,
  before: StreamRanges,
  { counts }: Statement,
  isAlone: boolean,
): Promise<void> {
  const after = await endsOf(admin);
  for (const stream of STREAMS) {
    const ranges = after[stream].map(({ partition, end }) => ({
      partition,
      start: before[stream].find((range) => range.partition === partition)?.end ?? 0n,
      end,
    }));
    const isSmall = counts[stream] <= READ_BACK;
    const { topic } = streams[stream];
    const found = isSmall ? await countMessages(admin, topic, ranges) : offsetsIn(ranges);
    const isExact = isSmall && isAlone;
    if (isExact ? found === counts[stream] : found >= counts[stream]) continue;
    throw new UserError(
      `${topic} holds ${found} messages of this load, but ${counts[stream]} were sent`,
      LOAD_AGAIN,
    );
  }
}

async function countMessages(
  admin: Admin,
  topic: string,
  ranges: readonly OffsetRange[],
): Promise<number> {
  let count = 0;
  for (const range of ranges) {
    for await (const _ of readCommitted(admin, topic, range)) count += 1;
  }
  return count;
}

const offsetsIn = (ranges: readonly OffsetRange[]): number =>
  Number(ranges.reduce((sum, { start, end }) => sum + end - start, 0n));
