import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { STREAMS, type StreamName } from "../contract/streams.ts";
import { EVENT_TOPICS } from "../contract/topics.ts";
import { isReadUpTo } from "./consumer-lag.ts";
import { decidedRanges } from "./open-transactions.ts";
import type { OffsetRange } from "./read.ts";

const RETRY_MS = 250;

/** Ends of the event topics at one moment, in stream order. */
export type Ends = readonly (readonly OffsetRange[])[];

/** Whatever was committed before this is asked lies before them. */
export const committedEnds = (admin: Admin): Promise<Ends> => decidedRanges(admin, EVENT_TOPICS);

/**
 * Waits until the database has stored what was committed before `ends` were read, of the streams
 * `among`; false when `withinMs` is over before.
 */
export async function arrivedUpTo(
  admin: Admin,
  ends: Ends,
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
