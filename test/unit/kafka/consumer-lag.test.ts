import type { Admin } from "@platformatic/kafka";
import { expect, test, vi } from "vitest";
import { STREAMS } from "../../../contract/streams.ts";
import { CONSUMER_GROUP } from "../../../contract/topics.ts";
import { committedOffsets, waitForDelivery } from "../../../kafka/consumer-lag.ts";
import type { OffsetRange } from "../../../kafka/read.ts";

/** Values of the partition 1 of geo_events, by offset. */
let values: readonly (string | null)[] = [];
/** Offset up to which the readers have stored that partition; -1 if they have committed none. */
let committed = -1n;

vi.mock("../../../kafka/read.ts", () => ({
  readCommitted: async function* (_: Admin, topic: string, { partition, start, end }: OffsetRange) {
    if (topic !== "geo_events" || partition !== 1) return;
    for (const [n, text] of values.entries()) {
      const value = text === null ? null : Buffer.from(text);
      if (n >= start && n < end) yield { offset: BigInt(n), value };
    }
  },
}));

const admin = {
  listConsumerGroupOffsets: async ({ groups: [group] }: { groups: string[] }) =>
    [
      {
        topics: ["device_events", "geo_events"].map((name) => ({
          name,
          partitions: [
            { partitionIndex: 0, committedOffset: 9n },
            { partitionIndex: 1, committedOffset: name === "geo_events" ? committed : 9n },
          ],
        })),
      },
    ].filter(() => group === CONSUMER_GROUP),
} as unknown as Admin;

test.each<[string, bigint, (string | null)[], boolean]>([
  ["all before the committed offset", 2n, ["a", "b"], true],
  ["a message at the committed offset", 1n, ["a", "b"], false],
  ["messages of which none is committed", -1n, ["a"], false],
  ["messages without a value, which create no row", 1n, ["a", null, ""], true],
  ["a message behind one without a value", 1n, ["a", null, "b"], false],
  ["a message after the end", 1n, ["a", null, null, "b"], true],
])("messages are delivered or not: %s", async (_, offset, sent, isDelivered) => {
  [committed, values] = [offset, sent];
  const ends = STREAMS.map(() => [0, 1].map((partition) => ({ partition, start: 0n, end: 3n })));
  expect(await waitForDelivery(admin, ends, -1)).toBe(isDelivered);
});

test("committed offsets are those of the stream's partitions that have one", async () => {
  committed = -1n;
  expect(await committedOffsets(admin, "geo")).toEqual(new Map([[0, 9n]]));
  committed = 0n;
  expect((await committedOffsets(admin, "geo")).get(1)).toBe(0n);
  expect(await committedOffsets(admin, "browser")).toEqual(new Map());
});
