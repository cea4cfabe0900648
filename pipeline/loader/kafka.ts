import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import { type Database, emptyBatch } from "../../contract/ports.ts";
import { addBatch, noStatement, type Statement } from "../../contract/statement.ts";
import { STREAMS } from "../../contract/streams.ts";
import { KafkaPublisher } from "../../generator/adapters/kafka.ts";
import { requireEpoch, requireTopics } from "../../generator/adapters/kafka-epoch.ts";
import type { Dataset } from "../../generator/dataset/format.ts";
import { readBatches } from "../../generator/dataset/reader.ts";
import { sliceBatches } from "../../generator/dataset/slice.ts";
import type { LoadRecord } from "../../generator/operations/record.ts";
import { loadKey, readSourceRecords } from "../../generator/operations/sources.ts";
import { liveStands } from "../broker/liveness.ts";
import { resetTopics } from "../broker/manage.ts";
import { endsOf, verifyTopics } from "./count.ts";
import type { LoadOptions } from "./load.ts";

export interface KafkaLoadOptions extends LoadOptions {
  readonly connection: BrokerConnection;
  readonly admin: Admin;
  /** Whose reading is paused while topics are recreated. */
  readonly database: Database | null;
  /** Recreates the event topics first, under a new epoch. */
  readonly reset: boolean;
  /** Although a generator is live. */
  readonly force: boolean;
}

export interface KafkaLoad {
  readonly statement: Statement;
  readonly epoch: number;
  /** From the first message until all were committed. */
  readonly seconds: number;
}

/**
 * Publishes a stored data set into the event topics. What was sent is committed with the messages,
 * so the statement is true wherever a load is cut off.
 * @throws UserError when a generator is live, topics are missing or the broker fails
 */
export async function loadIntoKafka(
  dataset: Dataset,
  options: KafkaLoadOptions,
): Promise<KafkaLoad> {
  const { connection, admin } = options;
  if (options.reset) await reset(options);
  await requireTopics(admin);
  const epoch = await requireEpoch(admin);
  const former = [...(await readSourceRecords(admin, epoch)).keys()];
  const publisher = await KafkaPublisher.open({ connection, stand: nextKey(former) });
  const starts = await endsOf(admin);
  try {
    const isWhole = options.limit === 0 && former.length === 0;
    const begun = performance.now();
    const statement = await publishAll(dataset, publisher, options, isWhole);
    const seconds = (performance.now() - begun) / 1000;
    await verifyTopics(admin, starts, statement, options.reset);
    return { statement, epoch: publisher.epoch, seconds };
  } finally {
    await publisher.close();
  }
}

const reset = ({ admin, database, force }: KafkaLoadOptions) =>
  resetTopics(admin, {
    database,
    force,
    reason: "pipeline data",
    isLive: async () => (await liveStands(admin)).length > 0,
  });

function nextKey(keys: readonly string[]): string {
  let number = 1;
  while (keys.includes(loadKey(number))) number += 1;
  return loadKey(number);
}

/** Batches go out while the next ones are read; the publisher bounds how many wait. */
async function publishAll(
  dataset: Dataset,
  publisher: KafkaPublisher,
  { limit, onProgress }: LoadOptions,
  isWhole: boolean,
): Promise<Statement> {
  const statement = noStatement();
  let failure: { readonly error: unknown } | undefined;
  const record = (manifest: LoadRecord["manifest"]): LoadRecord => ({
    kind: "load",
    statement: structuredClone(statement),
    manifest,
  });
  const batches = limit === 0 ? readBatches(dataset) : sliceBatches(dataset, limit);
  for await (const batch of batches) {
    addBatch(statement, batch);
    publisher.publishBatch(batch, { manifest: record(null) }).catch((error: unknown) => {
      failure ??= { error };
    });
    await publisher.hasRoom();
    if (failure) throw failure.error;
    onProgress?.(STREAMS.reduce((sum, stream) => sum + statement.counts[stream], 0));
  }
  await publisher.flush();
  if (failure) throw failure.error;
  const manifest = dataset.manifest?.manifest ?? null;
  await publisher.publishBatch(emptyBatch(), { manifest: record(isWhole ? manifest : null) });
  return statement;
}
