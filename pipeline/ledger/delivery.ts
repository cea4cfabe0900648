import type { Admin } from "@platformatic/kafka";
import type { Database } from "../../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { type OffsetRange, readCommitted } from "../../kafka/read.ts";
import { arrivedUpTo, committedEnds } from "../broker/arrived.ts";
import { attachedQueues } from "../broker/consumption.ts";
import { committedOffsets } from "../broker/unread.ts";
import type { Delivery, StoredOffsets, Undelivered } from "./feed.ts";

/** How long a reader may take to store what was committed. */
const DELIVERY_MS = 20_000;

/** What one stream's reader had to store, and had stored, at one moment. */
interface StreamPosition {
  readonly stream: StreamName;
  readonly ranges: readonly OffsetRange[];
  /** Next offset of the consumer group by partition: everything before it is stored. */
  readonly committed: ReadonlyMap<number, bigint>;
  readonly isAttached: boolean;
}

/** Waits for the readers of all streams, and notes how far each came. */
export async function readDelivery(
  db: Database,
  admin: Admin,
  withinMs = DELIVERY_MS,
): Promise<Delivery> {
  const ends = await committedEnds(admin);
  const attached = await attachedQueues(db);
  await arrivedUpTo(admin, ends, withinMs, attached);
  const positions: StreamPosition[] = [];
  for (const [index, stream] of STREAMS.entries()) {
    const committed = await committedOffsets(admin, stream);
    const isAttached = attached.includes(stream);
    positions.push({ stream, ranges: ends[index] ?? [], committed, isAttached });
  }
  return {
    undelivered: (stored) =>
      Promise.all(
        positions.map((position) =>
          findUndelivered(admin, position, stored.get(position.stream) ?? new Map()),
        ),
      ),
  };
}

async function findUndelivered(
  admin: Admin,
  position: StreamPosition,
  stored: StoredOffsets,
): Promise<Undelivered> {
  const { stream, isAttached } = position;
  const days = new Map<string, number>();
  let oldest = Number.POSITIVE_INFINITY;
  for (const range of position.ranges) {
    const start = nextOffset(position, range, stored);
    for await (const record of readCommitted(admin, streams[stream].topic, { ...range, start })) {
      // A message without a value becomes no row.
      if (!record.value || record.value.length === 0) continue;
      const day = record.headers.get("emitted_at")?.slice(0, "2026-01-01".length) ?? "";
      days.set(day, (days.get(day) ?? 0) + 1);
      oldest = Math.min(oldest, record.timestamp);
    }
  }
  const oldestSeconds = days.size === 0 ? 0 : Math.max(0, (Date.now() - oldest) / 1000);
  return { stream, days, oldestSeconds, ...readerOf(stream, isAttached) };
}

/**
 * The first offset that stg may lack. The group's offset is behind what is stored, and the highest
 * stored one is not enough: a row that is lost from the end of stg must not count as not delivered.
 */
function nextOffset(
  { committed }: StreamPosition,
  { partition, start }: OffsetRange,
  stored: StoredOffsets,
): bigint {
  const afterStored = BigInt((stored.get(partition) ?? -1) + 1);
  const afterCommitted = committed.get(partition) ?? 0n;
  return [start, afterStored, afterCommitted].reduce((a, b) => (a > b ? a : b));
}

const readerOf = (stream: StreamName, isAttached: boolean) =>
  isAttached
    ? { step: `stg.${stream}_queue`, next: "make doctor" }
    : { step: `stg.${stream}_queue (not attached)`, next: "make topics" };
