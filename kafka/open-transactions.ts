import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { BrokerError, TRANSIENT_HINT } from "./errors.ts";
import { logEnds, type OffsetRange, offsetRanges } from "./read.ts";

const DECIDED_WITHIN_MS = 10_000;
/** Time limit for open transactions, ms; the broker aborts those of a dead producer after 60 s. */
const ENDED_WITHIN_MS = 75_000;
const RETRY_MS = 20;

/** Waits until open transactions have ended, or `withinMs`. @returns the readable ranges */
export async function waitForDecidedRanges(
  client: Admin,
  topics: readonly string[],
  withinMs = DECIDED_WITHIN_MS,
): Promise<OffsetRange[][]> {
  const deadline = Date.now() + withinMs;
  const written = new Map<string, number[]>();
  for (const topic of topics) written.set(topic, await logEnds(client, topic));
  const decided: OffsetRange[][] = [];
  for (const [topic, ends] of written) {
    decided.push((await waitUntilDecided(client, topic, ends, deadline)).ranges);
  }
  return decided;
}

/** Waits until no transaction is open on the topic; one may hide the latest record. @throws BrokerError */
export async function waitForOpenTransactions(
  client: Admin,
  topic: string,
  withinMs = ENDED_WITHIN_MS,
): Promise<void> {
  const ends = await logEnds(client, topic);
  const { isDecided } = await waitUntilDecided(client, topic, ends, Date.now() + withinMs);
  if (isDecided) return;
  throw new BrokerError(
    `A transaction in the topic ${topic} has been open for more than ${withinMs / 1000} s and hides later messages`,
    TRANSIENT_HINT,
  );
}

async function waitUntilDecided(
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
