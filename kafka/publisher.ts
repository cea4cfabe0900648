import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../contract/broker.ts";
import { type MessageBatch, messagesIn, type Publisher } from "../contract/ports.ts";
import { publishedSchema, type SourceRecord } from "../contract/source.ts";
import {
  EVENT_TOPICS,
  HEADERS,
  MANIFEST_TOPIC,
  TRANSACTIONAL_ID_PREFIX,
} from "../contract/topics.ts";
import {
  type BatchRecords,
  controlRecords,
  GROUP_MESSAGES,
  type Group,
  GroupQueue,
  type PendingBatch,
} from "./batch-groups.ts";
import { openBroker } from "./client.ts";
import { encodeControl } from "./encode.ts";
import { requireEpoch, requireTopics } from "./epoch.ts";
import type { PublishError } from "./errors.ts";
import { waitForOpenTransactions } from "./open-transactions.ts";
import type { LogEnds, PartitionBatches } from "./produce.ts";
import { readLatest } from "./read.ts";
import { TransactionalProducer } from "./transaction.ts";

const PATIENCE_MS = 60_000;
const ROOM_MESSAGES = 2 * GROUP_MESSAGES;

export interface KafkaPublisherOptions {
  readonly connection: BrokerConnection;
  /** Generator instance: key of the state and part of the transactional id. */
  readonly instance: string;
  /** Time limit for retries of a batch, ms; default one minute. */
  readonly patienceMs?: number;
  /** Maximum number of attempts within the time limit; default unlimited. */
  readonly attempts?: number;
  /** Transaction timeout, ms; default one minute. */
  readonly transactionTimeoutMs?: number;
  /** Called for every failed attempt, even if a later one succeeds. */
  readonly onFailure?: (failure: PublishError) => void;
}

export interface StoredValue {
  readonly value: string;
  readonly epoch: number;
}

/** Publisher that commits a batch, the history record and the new state atomically. */
export class KafkaPublisher implements Publisher {
  readonly epoch: number;
  readonly #client: Admin;
  readonly #instance: string;
  readonly #producer: TransactionalProducer;
  readonly #queue: GroupQueue;
  #openMessages = 0;
  #working: Promise<void> | undefined;
  #roomSeekers: (() => void)[] = [];
  #background: { readonly error: unknown } | undefined;

  private constructor(
    client: Admin,
    instance: string,
    producer: TransactionalProducer,
    partitions: ReadonlyMap<string, number>,
    epoch: number,
  ) {
    this.#client = client;
    this.#instance = instance;
    this.#producer = producer;
    this.#queue = new GroupQueue(partitions, epoch);
    this.epoch = epoch;
  }

  /** Opens a publisher and fences the previous one. @throws UserError if topics or epoch are missing */
  static async open(options: KafkaPublisherOptions): Promise<KafkaPublisher> {
    const { connection, instance, patienceMs = PATIENCE_MS, attempts, onFailure } = options;
    const { transactionTimeoutMs: timeoutMs } = options;
    const client = await openBroker(connection, `generator-${instance}`);
    try {
      const partitions = await requireTopics(client);
      const producer = new TransactionalProducer(client, {
        transactionalId: `${TRANSACTIONAL_ID_PREFIX}${instance}`,
        patienceMs,
        ...(attempts ? { attempts } : {}),
        ...(timeoutMs ? { timeoutMs } : {}),
        ...(onFailure ? { onFailure } : {}),
      });
      await producer.open();
      return new KafkaPublisher(client, instance, producer, partitions, await requireEpoch(client));
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /**
   * Publishes a batch; resolves after the commit.
   * @throws FencedError or PublishError: this batch and later ones are not committed, unless the
   * outcome is unknown
   */
  publishBatch(batch: MessageBatch, records: BatchRecords = {}): Promise<void> {
    const committed = new Promise<void>((resolve, reject) => {
      this.#queue.add(batch, { records, resolve, reject });
    });
    this.#openMessages += messagesIn(batch);
    this.#working ??= this.#work();
    return committed;
  }

  get ends(): LogEnds {
    const all = Object.entries(this.#producer.ends);
    return Object.fromEntries(
      all.filter(([topic]) => EVENT_TOPICS.some((event) => event === topic)),
    );
  }

  /** Waits until the buffer has room, to limit memory. */
  async hasRoom(): Promise<void> {
    while (this.#openMessages >= ROOM_MESSAGES) {
      await new Promise<void>((resolve) => this.#roomSeekers.push(resolve));
    }
  }

  /** Queues a batch when the buffer has room. The next `publish`, `flush` or `close` throws a failure. */
  async publish(batch: MessageBatch, records?: BatchRecords): Promise<void> {
    this.#throwBackground();
    this.publishBatch(batch, records).catch((error: unknown) => {
      this.#background ??= { error };
    });
    await this.hasRoom();
    this.#throwBackground();
  }

  async flush(): Promise<void> {
    while (this.#working) await this.#working;
    this.#throwBackground();
  }

  /** Reads the latest record, null if none, after open transactions have ended. */
  async readLatest(topic: string, key = this.#instance): Promise<StoredValue | null> {
    await waitForOpenTransactions(this.#client, topic);
    const record = await readLatest(this.#client, topic, key);
    if (!record?.value) return null;
    return {
      value: record.value.toString(),
      epoch: Number(record.headers.get(HEADERS.epoch) ?? 0),
    };
  }

  /** Reads what this instance has sent in the epoch; undefined if nothing. */
  async readRecord(): Promise<SourceRecord | undefined> {
    const stored = await this.readLatest(MANIFEST_TOPIC);
    return stored?.epoch === this.epoch
      ? publishedSchema.parse(JSON.parse(stored.value))
      : undefined;
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#client.close();
    }
  }

  async #work(): Promise<void> {
    // Yields: batches of one tick share a transaction, and `publishBatch` sets `#working` first.
    await Promise.resolve();
    for (let group = this.#queue.take(); group; group = this.#queue.take()) {
      try {
        await this.#producer.commit([...group.parts(), ...this.#controlOf(group)]);
        this.#settle(group, ({ resolve }) => resolve());
      } catch (error) {
        // Drops later batches, which depend on the failed batch.
        for (const dropped of [group, ...this.#queue.drop()]) {
          this.#settle(dropped, ({ reject }) => reject(error));
        }
      }
    }
    this.#working = undefined;
  }

  #controlOf({ waiting }: Group): PartitionBatches[] {
    const records = controlRecords(
      this.#instance,
      waiting.map((each) => each.records),
    );
    return encodeControl(this.epoch, records);
  }

  #settle({ waiting, messages }: Group, finish: (waiting: PendingBatch) => void): void {
    this.#openMessages -= messages;
    for (const each of waiting) finish(each);
    const seekers = this.#roomSeekers;
    this.#roomSeekers = [];
    for (const seeker of seekers) seeker();
  }

  #throwBackground(): void {
    if (this.#background) throw this.#background.error;
  }
}
