import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../contract/broker.ts";
import { type MessageBatch, messagesIn, type Publisher } from "../contract/ports.ts";
import { EVENT_TOPICS, HEADERS, TRANSACTIONAL_ID_PREFIX } from "../contract/topics.ts";
import { GROUP_MESSAGES, type Group, GroupQueue, type Waiting } from "./batch-groups.ts";
import { openBroker } from "./client.ts";
import { type BatchRecords, controlRecords } from "./control-records.ts";
import { encodeControl } from "./encode.ts";
import { requireEpoch, requireTopics } from "./epoch.ts";
import type { PublishError } from "./errors.ts";
import { untilDecided } from "./open-transactions.ts";
import type { LogEnds, PartitionBatches } from "./produce.ts";
import { readLatest } from "./read.ts";
import { TransactionalProducer } from "./transaction.ts";

const PATIENCE_MS = 60_000;
const ROOM_MESSAGES = 2 * GROUP_MESSAGES;

export interface KafkaPublisherOptions {
  readonly connection: BrokerConnection;
  /** Key of its state and of its fence. */
  readonly instance: string;
  /** Time limit for retries of a batch, ms; default one minute. */
  readonly patienceMs?: number;
  /** Attempts within that time; default unlimited. */
  readonly attempts?: number;
  /** Default: one minute. */
  readonly transactionTimeoutMs?: number;
  /** Called for every failed attempt, even if a later one succeeds. */
  readonly onFailure?: (failure: PublishError) => void;
}

export interface StoredValue {
  readonly value: string;
  readonly epoch: number;
}

/** Commits a batch, its history record and the state after it atomically. */
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

  /** Fences its previous generator. @throws UserError when topics are missing or have no epoch */
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
   * Resolves when committed.
   * @throws FencedError or PublishError: nothing of it or of later batches is committed, unless
   * unknown
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

  /** Bounds the memory of waiting batches. */
  async hasRoom(): Promise<void> {
    while (this.#openMessages >= ROOM_MESSAGES) {
      await new Promise<void>((resolve) => this.#roomSeekers.push(resolve));
    }
  }

  /** Waits for room only. The next `publish`, `flush` or `close` throws its failure. */
  async publish(batch: MessageBatch): Promise<void> {
    this.#throwBackground();
    this.publishBatch(batch).catch((error: unknown) => {
      this.#background ??= { error };
    });
    await this.hasRoom();
    this.#throwBackground();
  }

  async flush(): Promise<void> {
    while (this.#working) await this.#working;
    this.#throwBackground();
  }

  /** Null if there is none. Waits for open transactions, which hide later records. */
  async readLatest(topic: string, key = this.#instance): Promise<StoredValue | null> {
    await untilDecided(this.#client, topic);
    const record = await readLatest(this.#client, topic, key);
    if (!record?.value) return null;
    return {
      value: record.value.toString(),
      epoch: Number(record.headers.get(HEADERS.epoch) ?? 0),
    };
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#client.close();
    }
  }

  async #work(): Promise<void> {
    // Lets batches of the same tick share a transaction; `#working` must be set before this ends.
    await Promise.resolve();
    for (let group = this.#queue.take(); group; group = this.#queue.take()) {
      try {
        await this.#producer.commit([...group.parts(), ...this.#controlOf(group)]);
        this.#settle(group, ({ resolve }) => resolve());
      } catch (error) {
        // Later batches depend on the failed one, so they must not be committed without it.
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

  #settle({ waiting, messages }: Group, finish: (waiting: Waiting) => void): void {
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
