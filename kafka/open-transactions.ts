import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { ASK_LATER, BrokerError } from "./errors.ts";
import { logEnds, type OffsetRange, offsetRanges } from "./read.ts";

const DECIDED_WITHIN_MS = 10_000;
/** Longer than the broker leaves a transaction open whose producer died: a minute. */
const ENDED_WITHIN_MS = 75_000;
const RETRY_MS = 20;

/**
 * What topics hold once everything that was written before the call is decided, in their order. A
 * commit is answered before its markers instance, and a transaction that is open hides what others
 * have committed behind it. One that stays open does not hold up the answer: after `withinMs` it
 * is of what is decided then.
 */
export async function decidedRanges(
  client: Admin,
  topics: readonly string[],
  withinMs = DECIDED_WITHIN_MS,
): Promise<OffsetRange[][]> {
  const deadline = Date.now() + withinMs;
  const written = new Map<string, number[]>();
  for (const topic of topics) written.set(topic, await logEnds(client, topic));
  const decided: OffsetRange[][] = [];
  for (const [topic, ends] of written) {
    decided.push((await upTo(client, topic, ends, deadline)).ranges);
  }
  return decided;
}

/**
 * Waits until everything that was written to a topic before the call is decided: behind what somebody
 * else has left open the latest record of a key may be hidden.
 * @throws BrokerError when it stays open
 */
export async function untilDecided(
  client: Admin,
  topic: string,
  withinMs = ENDED_WITHIN_MS,
): Promise<void> {
  const ends = await logEnds(client, topic);
  const { isDecided } = await upTo(client, topic, ends, Date.now() + withinMs);
  if (isDecided) return;
  throw new BrokerError(
    `A transaction in the topic ${topic} is open for more than ${withinMs / 1000} s: what stands behind it cannot be read`,
    ASK_LATER,
  );
}

async function upTo(
  client: Admin,
  topic: string,
  ends: readonly number[],
  deadline: number,
): Promise<{ readonly ranges: OffsetRange[]; readonly isDecided: boolean }> {
  for (;;) {
    const ranges = await offsetRanges(client, topic);
    const isDecided = ranges.every(({ partition, end }) => end >= (ends[partition] ?? 0));
    if (isDecided || Date.now() > deadline) return { ranges, isDecided };
    await sleep(RETRY_MS);
  }
}
