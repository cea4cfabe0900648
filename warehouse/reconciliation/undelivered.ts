import type { Admin } from "@platformatic/kafka";
import type { Database } from "../../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { HEADERS } from "../../contract/topics.ts";
import { committedOffsets, type TopicEnds, waitForDelivery } from "../../kafka/consumer-lag.ts";
import { type OffsetRange, readCommitted } from "../../kafka/read.ts";
import { queueState } from "../ingest/consumption.ts";
import type { StoredOffsets, UndeliveredMessages } from "./feed.ts";

/** Longest time until a reader has stored committed messages: a member that died keeps its partitions for 45 s. */
const DELIVERY_MS = 60_000;

/** Counts of committed and stored messages of one reader at one moment. */
export interface StreamPosition {
  readonly stream: StreamName;
  readonly ranges: readonly OffsetRange[];
  readonly committed: ReadonlyMap<number, bigint>;
  readonly isAttached: boolean;
}

export async function readPositions(
  db: Database,
  admin: Admin,
  ends: TopicEnds,
): Promise<StreamPosition[]> {
  const isAttached = (await queueState(db)) === "attached";
  if (isAttached) await waitForDelivery(admin, ends, DELIVERY_MS);
  const positions: StreamPosition[] = [];
  for (const [index, stream] of STREAMS.entries()) {
    const committed = await committedOffsets(admin, stream);
    positions.push({ stream, ranges: ends[index] ?? [], committed, isAttached });
  }
  return positions;
}

/** Counts messages not in stg. @param current epoch of messages without an epoch header */
export async function findUndelivered(
  admin: Admin,
  positions: readonly StreamPosition[],
  stored: StoredOffsets,
  current: number,
): Promise<UndeliveredMessages[]> {
  const find = (of: StreamPosition) => findOfStream(admin, of, stored, current);
  return (await Promise.all(positions.map(find))).flat();
}

async function findOfStream(
  admin: Admin,
  { stream, ranges, committed, isAttached }: StreamPosition,
  stored: StoredOffsets,
  current: number,
): Promise<UndeliveredMessages[]> {
  const epochs = new Map<number, { days: Map<string, number>; oldest: number }>();
  for (const range of ranges) {
    const { partition } = range;
    const start = later(range.start, committed.get(partition) ?? 0n);
    for await (const record of readCommitted(admin, streams[stream].topic, { ...range, start })) {
      // The reader stores no row for an empty message.
      if (!record.value || record.value.length === 0) continue;
      const epoch = Number(record.headers.get(HEADERS.epoch) ?? current);
      // The highest stored offset alone would hide a row lost from the end of stg.
      if (record.offset <= stored(stream, epoch, partition)) continue;
      const { days, oldest } = epochs.get(epoch) ?? {
        days: new Map<string, number>(),
        oldest: Infinity,
      };
      const day = record.headers.get(HEADERS.emittedAt)?.slice(0, "2026-01-01".length) ?? "";
      days.set(day, (days.get(day) ?? 0) + 1);
      epochs.set(epoch, { days, oldest: Math.min(oldest, record.timestamp) });
    }
  }
  return [...epochs].map(([epoch, { days, oldest }]) => {
    const oldestSeconds = Math.max(0, (Date.now() - oldest) / 1000);
    return { epoch, stream, days, oldestSeconds, ...readerOf(isAttached) };
  });
}

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const readerOf = (isAttached: boolean) =>
  isAttached
    ? { step: "stg.queue", hint: "run `make doctor`" }
    : { step: "stg.queue (not attached)", hint: "run `make topics`" };
