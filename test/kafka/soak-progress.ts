import type { Admin } from "@platformatic/kafka";
import {
  CONSUMER_GROUP,
  EPOCH_TOPIC,
  EVENT_TOPICS,
  MANIFEST_TOPIC,
  STATE_TOPIC,
} from "../../contract/topics.ts";
import { parseFrame } from "../../generator/operations/record.ts";
import { offsetRanges, readLatest } from "../../kafka/read.ts";

/** Number of the generator's last batch. */
export async function written(admin: Admin): Promise<bigint> {
  const stored = await readLatest(admin, STATE_TOPIC, "test");
  return stored?.value ? BigInt(parseFrame(String(stored.value)).batches) : 0n;
}

/** Sum of the offsets that the engine has stored. */
export async function stored(admin: Admin): Promise<bigint> {
  const groups = await admin.listConsumerGroupOffsets({ groups: [CONSUMER_GROUP] });
  return groups
    .flatMap(({ topics }) => topics.flatMap(({ partitions }) => partitions))
    .reduce((sum, { committedOffset }) => sum + committedOffset, 0n);
}

/** True once the manifest is committed with the last batch of the history. */
export async function hasManifest(admin: Admin): Promise<boolean> {
  const record = await readLatest(admin, MANIFEST_TOPIC, "test");
  return record?.value?.includes('"checksum"') ?? false;
}

/** True once every partition has a leader that answers; after a kill, a command fails until then. */
export async function canReadAll(admin: Admin): Promise<boolean> {
  admin.clearMetadata();
  const topics = [...EVENT_TOPICS, STATE_TOPIC, MANIFEST_TOPIC, EPOCH_TOPIC];
  const reading = topics.map((topic) => offsetRanges(admin, topic));
  return Promise.all([...reading, stored(admin)]).then(
    () => true,
    () => false,
  );
}
