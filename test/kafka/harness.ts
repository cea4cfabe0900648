import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { describe } from "vitest";
import { committedEnds, waitForDelivery } from "../../kafka/consumer-lag.ts";
import { offsetRanges, readCommitted, type StoredRecord } from "../../kafka/read.ts";
import { missingNeeds } from "./needs.ts";

const missing = missingNeeds();
if (missing.length > 0) console.log(`skipped: the kafka level needs ${missing.join(" and ")}`);

/** `describe`, skipped with a printed reason if the machine lacks what a broker needs. */
export const describeKafka = describe.skipIf(missing.length > 0);

/** All committed messages of a topic, one partition after another. */
export async function readTopic(admin: Admin, topic: string): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (const range of await offsetRanges(admin, topic)) {
    for await (const record of readCommitted(admin, topic, range)) records.push(record);
  }
  return records;
}

/** Numbers of the `numbered` messages in a topic, in order of partition and offset. */
export async function numbersIn(admin: Admin, topic: string): Promise<number[]> {
  const records = await readTopic(admin, topic);
  return records.map(({ value }) => (JSON.parse(String(value)) as { n: number }).n);
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

export const ascending = (numbers: readonly number[]): number[] =>
  [...numbers].sort((a, b) => a - b);

/** Waits until `isTrue`. @throws Error with `what` after `withinMs` */
export async function waitFor(
  what: string,
  isTrue: () => Promise<boolean>,
  withinMs = 180_000,
  everyMs = 100,
): Promise<number> {
  const start = Date.now();
  while (!(await isTrue())) {
    if (Date.now() - start > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await sleep(everyMs);
  }
  return Date.now() - start;
}

/** True if every committed message is stored. */
export const isStored = async (admin: Admin): Promise<boolean> =>
  waitForDelivery(admin, await committedEnds(admin), 0);

/** Waits until every committed message is stored. */
export const waitUntilStored = (admin: Admin): Promise<unknown> =>
  waitFor("all messages are stored", () => isStored(admin), 240_000);
