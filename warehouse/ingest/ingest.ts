import { setTimeout as sleep } from "node:timers/promises";
import type { MessagesStream } from "@platformatic/kafka";
import type { Counter, Gauge } from "prom-client";
import type { BrokerConnection } from "../../contract/broker.ts";
import { CONSUMER_GROUP, EVENT_TOPICS } from "../../contract/topics.ts";
import type { Log } from "../../generator/service/log.ts";
import { clientOptions } from "../../kafka/client.ts";
import { reasonOf } from "../../kafka/errors.ts";
import { CommittedConsumer } from "../../kafka/fetch.ts";
import type { ServerDatabase } from "../database/http.ts";
import { insertRows, rowOf } from "./rows.ts";

const MAX_BYTES = 16 * 1024 * 1024;
const POLL_MS = 20;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

export interface IngestOptions {
  readonly connection: BrokerConnection;
  readonly db: ServerDatabase;
  /** Longest time from reading a message until its batch is stored, ms. */
  readonly batchMs: number;
  readonly metrics: { readonly rows: Counter; readonly retries: Counter; readonly lag: Gauge };
  readonly log: Log;
  readonly signal: AbortSignal;
}

type Stream = MessagesStream<Buffer, Buffer, Buffer, Buffer>;

/** Stores the event topics in `stg` at least once: offsets are committed after the insert. */
export class Ingest {
  /** The failure that lasts. */
  failure: string | undefined;
  readonly #options: IngestOptions;
  #pause = FIRST_PAUSE_MS;

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  /** Works until the signal. After a failure a new member reads on from the committed offsets. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#membership();
      } catch (error) {
        this.#fail(error);
        await sleep(this.#pause, undefined, { signal }).catch(() => undefined);
        this.#pause = Math.min(this.#pause * 2, MAX_PAUSE_MS);
      }
    }
  }

  async #membership(): Promise<void> {
    const consumer = new CommittedConsumer({
      ...clientOptions(this.#options.connection, "pipeline-ingest"),
      groupId: CONSUMER_GROUP,
      // A dead member's partitions move after this time; librdkafka of the Kafka engine has the same.
      sessionTimeout: 10_000,
      heartbeatInterval: 2_000,
      rebalanceTimeout: 15_000,
      // With retries the client rejoins within a commit, and repeats it for a topic re-created since.
      retries: 0,
      autocommit: false,
      // Compressed: a message has about 30 bytes here, and a kilobyte as an object of the client.
      maxBytesPerPartition: 128 * 1024,
      maxWaitTime: 250,
    });
    let stream: Stream | undefined;
    consumer.on("error", (error) => stream?.destroy(error));
    consumer.on("consumer:heartbeat:stalled", () => stream?.destroy(new Error("no heartbeats")));
    // After a join, a stream's positions may be of other members' partitions, or of a deleted topic.
    consumer.on("consumer:group:join", () => stream?.destroy());
    const topics = [...EVENT_TOPICS];
    try {
      // A stream that subscribes to the topics itself would join again.
      consumer.topics.trackAll(...topics);
      await consumer.joinGroup();
      while (!this.#options.signal.aborted) {
        const ids = await topicIds(consumer);
        stream = await consumer.consume({ topics, mode: "committed", fallbackMode: "earliest" });
        await this.#store(consumer, stream, ids);
      }
    } finally {
      await consumer.close(true).catch(() => undefined);
    }
  }

  /** Stores what the stream reads until it is destroyed. It reads ahead one answer of the broker. */
  async #store(consumer: CommittedConsumer, stream: Stream, ids: string): Promise<void> {
    const { db, batchMs, log, signal } = this.#options;
    for (const { topic, partitions } of consumer.assignments ?? []) {
      log.info("partitions assigned", { topic, partitions: `${partitions}` });
    }
    // The stream reads once it has this listener.
    stream.on("readable", () => undefined).on("error", () => undefined);
    const counts = new Map<string, number>();
    let [rows, size, due] = [[] as string[], 0, Date.now() + batchMs];
    for (let isLast = false; !isLast && !stream.destroyed; await sleep(POLL_MS)) {
      isLast = signal.aborted;
      for (let message = stream.read(); message !== null; message = stream.read()) {
        // Like the Kafka engine, a message without a value creates no row.
        if (!(message.value?.length > 0)) continue;
        const row = rowOf(message);
        rows.push(row);
        size += row.length;
        counts.set(message.topic, (counts.get(message.topic) ?? 0) + 1);
      }
      if (!isLast && size < MAX_BYTES && Date.now() < due) continue;
      const offsets = uncommitted(stream);
      const lag = await this.#measureLag(consumer);
      if (rows.length > 0) await insertRows(db, rows);
      this.#countRows(counts);
      if (rows.length > 0 || lag === 0) this.#succeed();
      [rows, size, due] = [[], 0, Date.now() + batchMs];
      // Committed for a topic that was re-created since, the offsets would skip its first messages.
      if (stream.destroyed || (await topicIds(consumer)) !== ids) break;
      // Offsets whose commit fails are part of the next one.
      if (offsets.length > 0)
        await consumer.commit({ offsets }).catch((error) => this.#fail(error));
    }
    if (stream.errored) throw stream.errored;
    await stream.close();
  }

  async #measureLag(consumer: CommittedConsumer): Promise<number> {
    let total = 0;
    for (const [topic, lags] of await consumer.getLag({ topics: [...EVENT_TOPICS] })) {
      // Partitions of other members have -1.
      const lag = lags.reduce((sum, one) => sum + Math.max(0, Number(one)), 0);
      this.#options.metrics.lag.set({ topic }, lag);
      total += lag;
    }
    return total;
  }

  #countRows(counts: Map<string, number>): void {
    for (const [topic, count] of counts) this.#options.metrics.rows.inc({ topic }, count);
    counts.clear();
  }

  #fail(error: unknown): void {
    const failure = reasonOf(error);
    this.#options.metrics.retries.inc();
    if (failure !== this.failure) this.#options.log.error(failure);
    this.failure = failure;
  }

  #succeed(): void {
    if (this.failure) this.#options.log.info("working again");
    this.failure = undefined;
    this.#pause = FIRST_PAUSE_MS;
  }
}

/** Positions of a stream whose messages are all read; transaction markers move them, too. */
const uncommitted = (stream: Stream) =>
  [...stream.offsetsCommitted].flatMap(([key, committed]) => {
    const offset = stream.offsetsToFetch.get(key) ?? committed;
    const [topic = "", partition] = key.split(":");
    return offset === committed
      ? []
      : [{ topic, partition: Number(partition), offset, leaderEpoch: -1 }];
  });

/** Ids of the topics, which change if a topic is re-created. */
async function topicIds(consumer: CommittedConsumer): Promise<string> {
  const metadata = await consumer.metadata({ topics: [...EVENT_TOPICS], forceUpdate: true });
  return EVENT_TOPICS.map((topic) => metadata.topics.get(topic)?.id).join();
}
