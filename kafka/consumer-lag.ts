import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { STREAMS, type StreamName, streams } from "../contract/streams.ts";
import { CONSUMER_GROUP, EVENT_TOPICS } from "../contract/topics.ts";
import { waitForDecidedRanges } from "./open-transactions.ts";
import { type OffsetRange, readCommitted } from "./read.ts";

const RETRY_MS = 250;

/** Compares messages, not offsets: transaction markers take offsets too. */
async function isReadUpTo(
  admin: Admin,
  stream: StreamName,
  ranges: readonly OffsetRange[],
): Promise<boolean> {
  const { topic } = streams[stream];
  const committed = await committedOffsets(admin, stream);
  for (const range of ranges) {
    const start = committed.get(range.partition) ?? range.start;
    if (await hasMessage(admin, topic, { ...range, start })) return false;
  }
  return true;
}

async function hasMessage(admin: Admin, topic: string, range: OffsetRange): Promise<boolean> {
  for await (const { value } of readCommitted(admin, topic, range)) {
    // A message without a value creates no row.
    if (value && value.length > 0) return true;
  }
  return false;
}

/** Returns the committed offsets by partition; all earlier messages are stored. */
export async function committedOffsets(
  admin: Admin,
  stream: StreamName,
): Promise<Map<number, bigint>> {
  const [answer] = await admin.listConsumerGroupOffsets({ groups: [CONSUMER_GROUP] });
  const topics = answer?.topics ?? [];
  const partitions = topics.find(({ name }) => name === streams[stream].topic)?.partitions ?? [];
  return new Map(
    partitions
      .filter(({ committedOffset }) => committedOffset >= 0n)
      .map(({ partitionIndex, committedOffset }) => [partitionIndex, committedOffset]),
  );
}

export type TopicEnds = readonly (readonly OffsetRange[])[];

export const committedEnds = (admin: Admin): Promise<TopicEnds> =>
  waitForDecidedRanges(admin, EVENT_TOPICS);

/** Waits until the messages are stored. @returns false after `withinMs` */
export async function waitForDelivery(
  admin: Admin,
  ends: TopicEnds,
  withinMs: number,
): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  for (const [index, stream] of STREAMS.entries()) {
    while (!(await isReadUpTo(admin, stream, ends[index] ?? []))) {
      if (Date.now() > deadline) return false;
      await sleep(RETRY_MS);
    }
  }
  return true;
}
