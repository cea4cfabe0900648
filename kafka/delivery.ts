import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { STREAMS, type StreamName } from "../contract/streams.ts";
import { EVENT_TOPICS } from "../contract/topics.ts";
import { isReadUpTo } from "./consumer-lag.ts";
import { decidedRanges } from "./open-transactions.ts";
import type { OffsetRange } from "./read.ts";

const RETRY_MS = 250;

export type TopicEnds = readonly (readonly OffsetRange[])[];

export const committedEnds = (admin: Admin): Promise<TopicEnds> =>
  decidedRanges(admin, EVENT_TOPICS);

/** Waits until the streams `among` are stored. @returns false after `withinMs` */
export async function waitForDelivery(
  admin: Admin,
  ends: TopicEnds,
  withinMs: number,
  among: readonly StreamName[] = STREAMS,
): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  for (const [index, stream] of STREAMS.entries()) {
    if (!among.includes(stream)) continue;
    while (!(await isReadUpTo(admin, stream, ends[index] ?? []))) {
      if (Date.now() > deadline) return false;
      await sleep(RETRY_MS);
    }
  }
  return true;
}
