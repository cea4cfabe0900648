import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Statement } from "../../contract/statement.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { EVENT_TOPICS } from "../../contract/topics.ts";
import { decidedRanges } from "../../kafka/open-transactions.ts";
import { type OffsetRange, readCommitted } from "../../kafka/read.ts";

/** Number of messages above which only offsets are compared. */
const READ_BACK = 1_000_000;
/** Wait for open transactions, ms; long, because an uncounted message fails the load. */
const DECIDED_WITHIN_MS = 30_000;

export type StreamRanges = Readonly<Record<StreamName, readonly OffsetRange[]>>;

export async function endsOf(admin: Admin): Promise<StreamRanges> {
  const decided = await decidedRanges(admin, EVENT_TOPICS, DECIDED_WITHIN_MS);
  const ends: Partial<Record<StreamName, OffsetRange[]>> = {};
  for (const [index, stream] of STREAMS.entries()) ends[stream] = decided[index] ?? [];
  return ends as StreamRanges;
}

/** Compares topics with the messages sent; reads small loads again. @throws UserError */
export async function verifyTopics(
  admin: Admin,
  before: StreamRanges,
  { counts }: Statement,
  isAlone: boolean,
): Promise<void> {
  const after = await endsOf(admin);
  for (const stream of STREAMS) {
    const ranges = after[stream].map(({ partition, end }) => ({
      partition,
      start: before[stream].find((range) => range.partition === partition)?.end ?? 0n,
      end,
    }));
    const isSmall = counts[stream] <= READ_BACK;
    const { topic } = streams[stream];
    const found = isSmall ? await countMessages(admin, topic, ranges) : offsetsIn(ranges);
    const isExact = isSmall && isAlone;
    if (isExact ? found === counts[stream] : found >= counts[stream]) continue;
    throw new UserError(
      `${topic} holds ${found} messages of this load, but ${counts[stream]} were sent`,
      "run pipeline data again; it starts from scratch",
    );
  }
}

async function countMessages(
  admin: Admin,
  topic: string,
  ranges: readonly OffsetRange[],
): Promise<number> {
  let count = 0;
  for (const range of ranges) {
    for await (const _ of readCommitted(admin, topic, range)) count += 1;
  }
  return count;
}

const offsetsIn = (ranges: readonly OffsetRange[]): number =>
  Number(ranges.reduce((sum, { start, end }) => sum + end - start, 0n));
