import { setTimeout as sleep } from "node:timers/promises";
import type { Admin, fetchV13, KafkaRecord, RecordsBatch } from "@platformatic/kafka";
import { HEADERS } from "../../contract/topics.ts";
import { protocolErrors } from "../../kafka/errors.ts";
import { committedFilter, type FetchTarget, fetchFrom, fetchTarget } from "../../kafka/fetch.ts";
import { offsetRanges } from "../../kafka/read.ts";
import type { Batch } from "./batch.ts";
import { epochOf, headerOf, type StoredEpoch } from "./epoch-header.ts";

const LIMITS = { maxBytes: 512 * 1024, maxWaitMs: 250 };
const IDLE_MS = 200;
const ATTRIBUTE_LOG_APPEND_TIME = 8;

type Page = fetchV13.FetchResponsePartition;

export interface ReaderOptions {
  readonly client: Admin;
  readonly topic: string;
  /** Returns the epoch of messages without the header; called at most once per partition and read. */
  readonly currentEpoch: () => Promise<StoredEpoch>;
  readonly onLag: (partition: number, lag: number) => void;
}

/** Reads the committed messages of some partitions of a topic, each from its own offset. */
export class PartitionReader {
  readonly #options: ReaderOptions;
  #positions = new Map<number, bigint>();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Starts at these offsets; a negative offset is the start of the partition. */
  async seek(offsets: ReadonlyMap<number, bigint>): Promise<void> {
    this.#positions = new Map(offsets);
    if ([...offsets.values()].some((offset) => offset < 0n)) await this.#correct();
  }

  get partitions(): number[] {
    return [...this.#positions.keys()];
  }

  /** Reads into a batch what is available; waits shortly for the first message. */
  async readInto(batch: Batch): Promise<void> {
    if (this.#positions.size === 0) {
      await sleep(IDLE_MS);
      return;
    }
    const targets = await this.#byLeader();
    const fetches = targets.map(([target, offsets]) =>
      fetchFrom(this.#options.client, target, offsets, LIMITS),
    );
    try {
      for (const page of (await Promise.all(fetches)).flat()) await this.#add(page, batch);
    } catch (error) {
      if (!protocolErrors(error).includes("OFFSET_OUT_OF_RANGE")) throw error;
      await this.#correct();
    }
  }

  /** Moves positions that retention has deleted, or that the topic never had, to its start. */
  async #correct(): Promise<void> {
    const { client, topic } = this.#options;
    for (const { partition, start, end } of await offsetRanges(client, topic)) {
      const position = this.#positions.get(partition);
      if (position === undefined || (position >= start && position <= end)) continue;
      this.#positions.set(partition, start);
    }
  }

  async #byLeader(): Promise<[FetchTarget, Map<number, bigint>][]> {
    const { client, topic } = this.#options;
    const targets = new Map<string, [FetchTarget, Map<number, bigint>]>();
    for (const [partition, offset] of this.#positions) {
      const target = await fetchTarget(client, topic, partition);
      const key = `${target.leader.host}:${target.leader.port}`;
      const [, offsets] = targets.get(key) ?? [target, new Map<number, bigint>()];
      targets.set(key, [target, offsets.set(partition, offset)]);
    }
    return [...targets.values()];
  }

  async #add(page: Page, batch: Batch): Promise<void> {
    const partition = page.partitionIndex;
    const keep = committedFilter(page);
    const target = { batch, partition, currentEpoch: once(this.#options.currentEpoch) };
    let position = this.#positions.get(partition) ?? 0n;
    for (const records of page.records ?? []) {
      if (keep(records)) await addRecords(records, position, target);
      position = records.firstOffset + BigInt(records.lastOffsetDelta) + 1n;
      batch.moveTo(partition, position);
    }
    this.#positions.set(partition, position);
    this.#options.onLag(partition, Number(page.lastStableOffset - position));
  }
}

interface Target {
  readonly batch: Batch;
  readonly partition: number;
  readonly currentEpoch: () => Promise<StoredEpoch>;
}

async function addRecords(
  records: RecordsBatch,
  from: bigint,
  { batch, partition, currentEpoch }: Target,
): Promise<void> {
  for (const record of records.records) {
    const offset = records.firstOffset + BigInt(record.offsetDelta);
    const { key, value } = record;
    // Like the Kafka engine, a message without a value creates no row.
    if (offset < from || !value || value.length === 0) continue;
    batch.add(epochOf(record) ?? (await currentEpoch()), partition, {
      offset,
      timestamp: timeOf(records, record),
      key,
      value,
      emittedAt: headerOf(record, HEADERS.emittedAt),
    });
  }
}

/** Calls the function at most once: each call is a query. */
function once<T>(call: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= call();
    return result;
  };
}

const timeOf = (batch: RecordsBatch, { timestampDelta }: KafkaRecord): bigint =>
  batch.attributes & ATTRIBUTE_LOG_APPEND_TIME
    ? batch.maxTimestamp
    : batch.firstTimestamp + timestampDelta;
