import { z } from "zod";
import { STREAMS, streams } from "./streams.ts";

/** Event topics in stream order. Frozen, because the Kafka client sorts the arrays it receives. */
export const EVENT_TOPICS = Object.freeze(STREAMS.map((stream) => streams[stream].topic));

/** Topic of generator batches, as JSON; key `batch_id`. */
export const BATCH_HISTORY_TOPIC = "generator_batch_history";

/** Compacted topics; the key is the generator instance, or `loadKey` for a manifest. */
export const STATE_TOPIC = "generator_state";
export const MANIFEST_TOPIC = "generator_manifest";

/** Topics in which sources record what they sent. */
export const SOURCE_TOPICS = [STATE_TOPIC, MANIFEST_TOPIC];

/** Compacted topic of the event topics' epoch and ids; key `EPOCH_KEY`. */
export const EPOCH_TOPIC = "pipeline_epoch";
export const EPOCH_KEY = "event_topics";

/** Record headers of all messages from this project's producers. */
export const HEADERS = {
  /** Epoch, a decimal number. A new epoch starts whenever the topics are re-created. */
  epoch: "epoch",
  /** Model time at which the visitor sent the message, `YYYY-MM-DD HH:MM:SS.ffffff` UTC. */
  emittedAt: "emitted_at",
  /** Rejected message of the topic that this one repairs, `epoch/partition/offset`. */
  repairs: "repairs",
} as const;

/** Prefix of the producers that a re-creation of the topics fences. */
export const TRANSACTIONAL_ID_PREFIX = "event-pipeline-";

/** Consumer group of `stg.queue`, as in its DDL file. */
export const CONSUMER_GROUP = "stg_raw";

export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  /** Topic settings, by the broker's names. */
  readonly configs: Readonly<Record<string, string>>;
}

const HOUR_MS = 60 * 60 * 1000;
const MIB = 1024 * 1024;

export const topicSpecs = (): TopicSpec[] => [
  ...EVENT_TOPICS.map(eventTopic),
  historyTopic(),
  ...[...SOURCE_TOPICS, EPOCH_TOPIC].map(compactedTopic),
];

const eventTopic = (name: string): TopicSpec => ({
  name,
  partitions: 4,
  configs: {
    "cleanup.policy": "delete",
    "retention.ms": String(7 * 24 * HOUR_MS),
    // Per partition, as stored (compressed).
    "retention.bytes": String(512 * MIB),
    // Retention removes whole segments, so smaller segments remove less at once.
    "segment.bytes": String(64 * MIB),
    // Larger than any client's record, because the pipeline should mark bad records, not lose them.
    "max.message.bytes": String(4 * MIB),
    ...SHARED,
  },
});

const historyTopic = (): TopicSpec => ({
  name: BATCH_HISTORY_TOPIC,
  partitions: 1,
  configs: {
    "cleanup.policy": "delete",
    "retention.ms": String(90 * 24 * HOUR_MS),
    "retention.bytes": String(64 * MIB),
    "segment.bytes": String(16 * MIB),
    ...SHARED,
  },
});

const compactedTopic = (name: string): TopicSpec => ({
  name,
  partitions: 1,
  configs: {
    "cleanup.policy": "compact",
    // Every batch writes state, and a start reads the whole topic, so compaction must be frequent.
    "segment.bytes": String(16 * MIB),
    "segment.ms": String(HOUR_MS),
    "min.cleanable.dirty.ratio": "0.2",
    "max.compaction.lag.ms": String(HOUR_MS),
    "max.message.bytes": String(8 * MIB),
    ...SHARED,
  },
});

/** Numbers of replicas are the broker's `default.replication.factor` and `min.insync.replicas`. */
const SHARED = {
  // This project's producers use zstd, so the broker recompresses only batches of others.
  "compression.type": "zstd",
  "message.timestamp.type": "CreateTime",
} as const;

/** Returns the key of a load in the manifest topic, unique in its epoch. */
export const loadKey = (number: number): string => `load-${number}`;

/** True for the key of a load. A generator instance must not have such a name. */
export const isLoadKey = (key: string): boolean => /^load-\d+$/.test(key);

/** Key of the collector of hits in the manifest topic. A generator instance must not have this name. */
export const COLLECTOR_KEY = "collector";

/** Key of `rejected replay` in the manifest topic. A generator instance must not have this name. */
export const REPLAY_KEY = "replay";

const count = z.int().nonnegative();
const instant = z.iso.datetime({ precision: 3 });

/** Value of a record in `generator_batch_history`; the key is `batch_id`. */
export const batchHistorySchema = z.strictObject({
  batch_id: z.string().min(1),
  /** Wall-clock time, UTC. */
  started_at: instant,
  finished_at: instant,
  sent_total: count,
  sent_browser: count,
  sent_location: count,
  sent_device: count,
  sent_geo: count,
  status: z.enum(["success", "partial", "error"]),
  /** Empty string for success. */
  error_message: z.string(),
});
export type BatchHistory = z.infer<typeof batchHistorySchema>;
