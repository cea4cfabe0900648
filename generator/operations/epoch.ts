import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import {
  EPOCH_KEY,
  EPOCH_TOPIC,
  EVENT_TOPICS,
  STATE_TOPIC,
  TRANSACTIONAL_ID_PREFIX,
} from "../../contract/topics.ts";
import { BatchEncoder } from "../adapters/kafka-encode.ts";
import { type EpochRecord, readEpoch } from "../adapters/kafka-epoch.ts";
import { fenceProducers } from "../adapters/kafka-fence.ts";
import { offsetRanges } from "../adapters/kafka-read.ts";
import { TransactionalProducer } from "../adapters/kafka-transaction.ts";
import { cleanRecord } from "./record.ts";

const PATIENCE_MS = 30_000;
const RETRY_MS = 20;

/**
 * Begins a new epoch on the topics as they are: offsets go on, older messages stay under the epoch
 * they carry. The epoch and the stand's clean record are committed together.
 * @returns the epoch
 */
export async function beginEpoch(client: Admin, stand: string, reason: string): Promise<number> {
  const producer = new TransactionalProducer(client, {
    transactionalId: `${TRANSACTIONAL_ID_PREFIX}${stand}`,
    patienceMs: PATIENCE_MS,
  });
  await producer.open();
  const former = await readEpoch(client);
  const epoch = Math.max(Date.now(), (former?.epoch ?? 0) + 1);
  const record: EpochRecord = { epoch, reason, started_at: new Date().toISOString() };
  const parts = await new BatchEncoder(new Map(), epoch).encodeControl([
    { topic: EPOCH_TOPIC, key: EPOCH_KEY, value: JSON.stringify(record) },
    { topic: STATE_TOPIC, key: stand, value: JSON.stringify(cleanRecord()) },
  ]);
  await producer.commit(parts);
  await untilVisible(client, epoch);
  return epoch;
}

async function untilVisible(client: Admin, epoch: number): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(RETRY_MS)) {
    if ((await readEpoch(client))?.epoch === epoch) return;
    if (Date.now() > deadline) throw new UserError(`Kafka does not show the new epoch ${epoch}`);
  }
}

/**
 * Ends every other producer's right to write, begins a new epoch and deletes the messages of the
 * event topics. Cut off anywhere it leaves a clean stand, at worst with messages of a former epoch.
 */
export async function wipe(client: Admin, stand: string): Promise<number> {
  await fenceProducers(client, `${TRANSACTIONAL_ID_PREFIX}${stand}`);
  const epoch = await beginEpoch(client, stand, "clean start");
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
  return epoch;
}
