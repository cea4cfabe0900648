import type { Admin, KafkaRecord, RecordsBatch } from "@platformatic/kafka";
import { committedFilter, fetchPage } from "./fetch.ts";

export interface StoredRecord {
  readonly partition: number;
  readonly offset: bigint;
  /** Wall-clock time, ms. */
  readonly timestamp: number;
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly headers: ReadonlyMap<string, string>;
}

export interface OffsetRange {
  readonly partition: number;
  readonly start: bigint;
  /** Offset before which every transaction is committed or aborted. */
  readonly end: bigint;
}

const READ_UNCOMMITTED = 0;
const READ_COMMITTED = 1;
const EARLIEST = -2n;
const LATEST = -1n;
/** Numbers of records to read backwards from the end, in increasing steps. */
const LOOK_BACK = [64n, 4_096n] as const;

export async function offsetRanges(client: Admin, topic: string): Promise<OffsetRange[]> {
  const starts = await offsetsOf(client, topic, EARLIEST, READ_COMMITTED);
  const ends = await offsetsOf(client, topic, LATEST, READ_COMMITTED);
  return ends.map((end, partition) => ({ partition, start: starts[partition] ?? 0n, end }));
}

/** Returns the offset after the last message of each partition, even of open transactions. */
export const logEnds = async (client: Admin, topic: string): Promise<number[]> =>
  (await offsetsOf(client, topic, LATEST, READ_UNCOMMITTED)).map(Number);

async function offsetsOf(
  client: Admin,
  topic: string,
  timestamp: bigint,
  isolationLevel: typeof READ_COMMITTED | typeof READ_UNCOMMITTED,
): Promise<bigint[]> {
  const metadata = await client.metadata({ topics: [topic] });
  const all = metadata.topics.get(topic)?.partitions ?? [];
  const partitions = all.map((_, partitionIndex) => ({ partitionIndex, timestamp }));
  const [answer] = await client.listOffsets({
    topics: [{ name: topic, partitions }],
    isolationLevel,
  });
  const offsets = all.map(() => 0n);
  for (const { partitionIndex, offset } of answer?.partitions ?? []) {
    offsets[partitionIndex] = offset;
  }
  return offsets;
}

/** Yields committed messages, without transaction markers. */
export async function* readCommitted(
  client: Admin,
  topic: string,
  { partition, start, end }: OffsetRange,
): AsyncGenerator<StoredRecord> {
  for (let next = start; next < end; ) {
    const page = await fetchPage(client, topic, partition, next);
    const batches = page.records ?? [];
    if (batches.length === 0) return;
    const keep = committedFilter(page);
    for (const batch of batches) {
      next = batch.firstOffset + BigInt(batch.lastOffsetDelta) + 1n;
      if (!keep(batch)) continue;
      for (const record of batch.records) {
        const stored = toStored(batch, record, partition);
        if (stored.offset >= start && stored.offset < end) yield stored;
      }
    }
  }
}

/** Reads the latest record of a key in a one-partition topic, backwards from the end. */
export async function readLatest(
  client: Admin,
  topic: string,
  key: string,
): Promise<StoredRecord | null> {
  const [range] = await offsetRanges(client, topic);
  if (!range) return null;
  let end = range.end;
  for (const span of [...LOOK_BACK, range.end]) {
    const start = later(end - span, range.start);
    let found: StoredRecord | null = null;
    for await (const record of readCommitted(client, topic, { ...range, start, end })) {
      if (record.key === key) found = record;
    }
    if (found || start === range.start) return found;
    end = start;
  }
  return null;
}

const later = (a: bigint, b: bigint): bigint => (a < b ? b : a);

const toStored = (batch: RecordsBatch, record: KafkaRecord, partition: number): StoredRecord => ({
  partition,
  offset: batch.firstOffset + BigInt(record.offsetDelta),
  timestamp: Number(batch.firstTimestamp + record.timestampDelta),
  key: record.key?.toString() ?? null,
  value: record.value,
  headers: new Map(
    record.headers.map(([name, value]) => [name?.toString() ?? "", value?.toString() ?? ""]),
  ),
});
