import type { Admin } from "@platformatic/kafka";
import type { Micros } from "../../contract/time.ts";
import {
  EPOCH_KEY,
  EPOCH_TOPIC,
  EVENT_TOPICS,
  STATE_TOPIC,
  TRANSACTIONAL_ID_PREFIX,
} from "../../contract/topics.ts";
import { fenceProducers } from "../../kafka/coordinator.ts";
import { encodeControl } from "../../kafka/encode.ts";
import { type EpochRecord, readEpoch, waitForEpoch } from "../../kafka/epoch.ts";
import { offsetRanges } from "../../kafka/read.ts";
import { TransactionalProducer } from "../../kafka/transaction.ts";
import { KnownRecord, textOf } from "./known-record.ts";
import { type ChosenSettings, cleanRecord, type InstanceRecord, startedRecord } from "./record.ts";

const PATIENCE_MS = 30_000;

/** Starts an epoch and commits it with the record; deletes no messages. */
export async function beginEpoch(
  client: Admin,
  instance: string,
  reason: string,
  record: InstanceRecord = cleanRecord(),
): Promise<KnownRecord> {
  const producer = new TransactionalProducer(client, {
    transactionalId: `${TRANSACTIONAL_ID_PREFIX}${instance}`,
    patienceMs: PATIENCE_MS,
  });
  await producer.open();
  const previous = await readEpoch(client);
  const epoch = Math.max(Date.now(), (previous?.epoch ?? 0) + 1);
  const next: EpochRecord = { epoch, reason, started_at: new Date().toISOString() };
  const text = textOf(record);
  const parts = encodeControl(epoch, [
    { topic: EPOCH_TOPIC, key: EPOCH_KEY, value: JSON.stringify(next) },
    { topic: STATE_TOPIC, key: instance, value: text },
  ]);
  await producer.commit(parts);
  await waitForEpoch(client, epoch);
  return new KnownRecord(epoch, text);
}

/** Deletes all messages; records the next history as begun, so that an interruption can resume. */
export async function wipe(
  client: Admin,
  instance: string,
  tEnd: Micros,
  chosen: ChosenSettings = {},
): Promise<KnownRecord> {
  await fenceProducers(client, `${TRANSACTIONAL_ID_PREFIX}${instance}`);
  const known = await beginEpoch(client, instance, "clean start", startedRecord(tEnd, chosen));
  const topics = await Promise.all(
    EVENT_TOPICS.map(async (name) => ({
      name,
      partitions: (await offsetRanges(client, name)).map(({ partition, end }) => ({
        partition,
        offset: end,
      })),
    })),
  );
  await client.deleteRecords({ topics });
  return known;
}
