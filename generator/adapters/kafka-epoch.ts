import type { Admin } from "@platformatic/kafka";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { EPOCH_KEY, EPOCH_TOPIC, EVENT_TOPICS, topicSpecs } from "../../contract/topics.ts";
import { readLatest } from "./kafka-read.ts";

const MAKE_TOPICS = "make topics (pipeline topics)";

/** What the topic `pipeline_epoch` says of the event topics. */
const epochRecordSchema = z.strictObject({
  epoch: z.int().positive(),
  reason: z.string(),
  /** Wall time, UTC. */
  started_at: z.iso.datetime({ precision: 3 }),
});
export type EpochRecord = z.infer<typeof epochRecordSchema>;

/** The current epoch as the broker holds it; null before the topics were ever made. */
export async function readEpoch(client: Admin): Promise<EpochRecord | null> {
  const record = await readLatest(client, EPOCH_TOPIC, EPOCH_KEY);
  if (!record?.value) return null;
  return epochRecordSchema.parse(JSON.parse(record.value.toString()));
}

/** @throws UserError when the topics have never been given an epoch */
export async function requireEpoch(client: Admin): Promise<number> {
  const record = await readEpoch(client);
  if (record) return record.epoch;
  throw new UserError(`The topic ${EPOCH_TOPIC} names no epoch of the event topics`, MAKE_TOPICS);
}

/**
 * Partitions of every topic of the pipeline.
 * @throws UserError naming all topics that are missing
 */
export async function requireTopics(client: Admin): Promise<Map<string, number>> {
  const present = new Set(await client.listTopics());
  const names = topicSpecs().map(({ name }) => name);
  const missing = names.filter((name) => !present.has(name));
  if (missing.length > 0) {
    throw new UserError(`Kafka has no topic ${missing.join(", ")}`, MAKE_TOPICS);
  }
  const metadata = await client.metadata({ topics: EVENT_TOPICS, forceUpdate: true });
  return new Map(
    names.map((name) => [name, metadata.topics.get(name)?.partitionsCount ?? 1] as const),
  );
}
