import type { Admin } from "@platformatic/kafka";
import type { Micros } from "../../contract/time.ts";
import {
  EPOCH_KEY,
  EPOCH_TOPIC,
  EVENT_TOPICS,
  STATE_TOPIC,
  TRANSACTIONAL_ID_PREFIX,
} from "../../contract/topics.ts";
import { encodeControl } from "../../kafka/encode.ts";
import { type EpochRecord, readEpoch, untilEpochVisible } from "../../kafka/epoch.ts";
import { fenceProducers } from "../../kafka/fence.ts";
import { offsetRanges } from "../../kafka/read.ts";
import { TransactionalProducer } from "../../kafka/transaction.ts";
import { KnownRecord, textOf } from "./known-record.ts";
import { begunRecord, type ChosenSettings, cleanRecord, type InstanceRecord } from "./record.ts";

const PATIENCE_MS = 30_000;

/**
 * Begins a new epoch on the topics as they are: offsets go on, older messages stay under the epoch
 * they carry. The epoch and the instance's record are committed together.
 * `record`: default a clean one.
 * @returns what stands now
 */
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
  const former = await readEpoch(client);
  const epoch = Math.max(Date.now(), (former?.epoch ?? 0) + 1);
  const next: EpochRecord = { epoch, reason, started_at: new Date().toISOString() };
  const text = textOf(record);
  const parts = encodeControl(epoch, [
    { topic: EPOCH_TOPIC, key: EPOCH_KEY, value: JSON.stringify(next) },
    { topic: STATE_TOPIC, key: instance, value: text },
  ]);
  await producer.commit(parts);
  await untilEpochVisible(client, epoch);
  return new KnownRecord(epoch, text);
}

/**
 * Ends every other producer's right to write, begins a new epoch and deletes the messages of the
 * event topics. The history that is to follow counts as begun: cut off anywhere, it is what goes on,
 * at worst with messages of a former epoch still there.
 */
export async function wipe(
  client: Admin,
  instance: string,
  tEnd: Micros,
  chosen: ChosenSettings = {},
): Promise<KnownRecord> {
  await fenceProducers(client, `${TRANSACTIONAL_ID_PREFIX}${instance}`);
  const known = await beginEpoch(client, instance, "clean start", begunRecord(tEnd, chosen));
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
