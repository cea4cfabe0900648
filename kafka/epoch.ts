import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { z } from "zod";
import { UserError } from "../contract/errors.ts";
import { damageIn } from "../contract/source.ts";
import { EPOCH_KEY, EPOCH_TOPIC, EVENT_TOPICS, topicSpecs } from "../contract/topics.ts";
import { BrokerError, TRANSIENT_HINT } from "./errors.ts";
import { readLatest } from "./read.ts";

const VISIBLE_WITHIN_MS = 30_000;
const RETRY_MS = 20;
const MAKE_TOPICS = "run make topics (or pipeline topics)";

const epochRecordSchema = z.strictObject({
  epoch: z.int().positive(),
  reason: z.string(),
  /** Wall-clock time, UTC. */
  started_at: z.iso.datetime({ precision: 3 }),
});
export type EpochRecord = z.infer<typeof epochRecordSchema>;

export class DamagedEpochError extends BrokerError {
  constructor(text: string, reason: string) {
    super(
      `The record of the epoch (key ${EPOCH_KEY} of the topic ${EPOCH_TOPIC}) is damaged: ${text.slice(0, SHOWN)}: ${reason}. Allowed: ${ALLOWED}`,
      "run make generator-down, then pipeline topics --reset --force (starts a new epoch; deletes all messages)",
    );
  }
}

const SHOWN = 100;
const ALLOWED =
  'JSON like {"epoch":1767225600000,"reason":"topics created","started_at":"2026-01-01T00:00:00.000Z"}';

/** Reads the epoch; null if the topics were never created. @throws DamagedEpochError */
export async function readEpoch(client: Admin): Promise<EpochRecord | null> {
  const record = await readLatest(client, EPOCH_TOPIC, EPOCH_KEY);
  return record?.value ? parseEpoch(record.value.toString()) : null;
}

/** Reads the epoch; null also for a damaged record, which the next epoch replaces. */
export async function readIntactEpoch(client: Admin): Promise<EpochRecord | null> {
  try {
    return await readEpoch(client);
  } catch (error) {
    if (error instanceof DamagedEpochError) return null;
    throw error;
  }
}

/** Parses the record of the epoch. @throws DamagedEpochError */
export function parseEpoch(text: string): EpochRecord {
  try {
    return epochRecordSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new DamagedEpochError(text, damageIn(error));
  }
}

/** Waits until readers see the epoch. @throws BrokerError after 30 seconds */
export async function waitForEpoch(client: Admin, epoch: number): Promise<void> {
  for (const deadline = Date.now() + VISIBLE_WITHIN_MS; ; await sleep(RETRY_MS)) {
    if (((await readIntactEpoch(client))?.epoch ?? 0) >= epoch) return;
    if (Date.now() > deadline) {
      const seconds = VISIBLE_WITHIN_MS / 1000;
      throw new BrokerError(
        `Epoch ${epoch} is not readable in Kafka after ${seconds} s`,
        TRANSIENT_HINT,
      );
    }
  }
}

/** Reads the epoch. @throws UserError if the record is missing or damaged */
export async function requireEpoch(client: Admin): Promise<number> {
  const record = await readEpoch(client);
  if (record) return record.epoch;
  throw new UserError(`Topic ${EPOCH_TOPIC} has no record of the epoch`, MAKE_TOPICS);
}

/** Returns the number of partitions by topic. @throws UserError naming all missing topics */
export async function requireTopics(client: Admin): Promise<Map<string, number>> {
  const present = new Set(await client.listTopics());
  const names = topicSpecs().map(({ name }) => name);
  const missing = names.filter((name) => !present.has(name));
  if (missing.length > 0) {
    throw new UserError(`Kafka has no topic ${missing.join(", ")}`, MAKE_TOPICS);
  }
  const metadata = await client.metadata({ topics: [...EVENT_TOPICS], forceUpdate: true });
  return new Map(
    names.map((name) => [name, metadata.topics.get(name)?.partitionsCount ?? 1] as const),
  );
}
