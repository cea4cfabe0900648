import type { Admin } from "@platformatic/kafka";
import { describe, expect, test, vi } from "vitest";
import { logEnds, offsetRanges, readCommitted, readLatest } from "../../../kafka/read.ts";

/** Keys of the messages of a partition by offset; a marker has none and is no message. */
let log: (string | null)[] = [];
const PAGE = 1000;

vi.mock("../../../kafka/fetch.ts", () => ({
  committedFilter: () => (batch: { isMarker: boolean }) => !batch.isMarker,
  // A page begins with the batch of the offset; a batch has two messages, or is a marker.
  fetchPage: async (_: Admin, __: string, ___: number, from: bigint) => {
    const first = Number(from) - (Number(from) % 2);
    const records = [];
    for (let offset = first; offset < Math.min(log.length, first + PAGE); offset += 2) {
      const keys = log.slice(offset, offset + 2);
      records.push({
        isMarker: keys[0] === null,
        firstOffset: BigInt(offset),
        lastOffsetDelta: keys.length - 1,
        firstTimestamp: 1_000n,
        records: keys.map((key, offsetDelta) => ({
          offsetDelta,
          timestampDelta: BigInt(offsetDelta),
          key: Buffer.from(key ?? ""),
          value: Buffer.from(`${offset + offsetDelta}`),
          headers: [[Buffer.from("name"), Buffer.from("value")]],
        })),
      });
    }
    return { records };
  },
}));

/** Answers with the ends of two partitions, listed in the other order. */
const adminOf = (start: number) =>
  ({
    metadata: async () => ({
      topics: new Map([
        ["t", { partitions: [{}] }],
        ["two", { partitions: [{}, {}] }],
      ]),
    }),
    listOffsets: async ({
      topics: [topic],
      isolationLevel,
    }: Parameters<Admin["listOffsets"]>[0]) => [
      {
        partitions: topic?.partitions.toReversed().map(({ partitionIndex, timestamp }) => ({
          partitionIndex,
          offset:
            timestamp === -2n
              ? BigInt(start)
              : BigInt(log.length + 10 * partitionIndex + (isolationLevel === 0 ? 1 : 0)),
        })),
      },
    ],
  }) as unknown as Admin;

describe("messages of a range", () => {
  test("are those from its start up to its end, without markers", async () => {
    log = ["a", "b", null, null, "c", "d", "e", "f"];
    const found = [];
    for await (const one of readCommitted(adminOf(0), "t", { partition: 3, start: 1n, end: 6n })) {
      found.push([
        one.partition,
        one.offset,
        one.key,
        String(one.value),
        one.timestamp,
        one.headers.get("name"),
      ]);
    }
    expect(found).toEqual([
      [3, 1n, "b", "1", 1001, "value"],
      [3, 4n, "c", "4", 1000, "value"],
      [3, 5n, "d", "5", 1001, "value"],
    ]);
  });
});

describe("the latest record of a key", () => {
  const among = (length: number, ...places: number[]) => {
    log = Array.from({ length }, (_, n) => (places.includes(n) ? "key" : "other"));
  };
  test.each([
    ["at the end", 10, [3, 9], 0, 9],
    ["behind the last records", 200, [30, 60], 0, 60],
    ["just before the last records", 200, [134, 135], 0, 135],
    ["far behind", 6_000, [3, 5], 0, 5],
    ["at the start of a topic whose first records are gone", 100, [40], 40, 40],
    ["before the start of the topic", 100, [39], 40, undefined],
    ["nowhere", 6_000, [], 0, undefined],
  ])("%s", async (_, length, places, start, offset) => {
    among(length, ...places);
    const found = await readLatest(adminOf(start), "t", "key");
    expect(found?.offset).toBe(offset === undefined ? undefined : BigInt(offset));
  });
});

test("ranges end with what is committed, logs with the last message", async () => {
  log = ["a", "b"];
  expect(await offsetRanges(adminOf(1), "two")).toEqual([
    { partition: 0, start: 1n, end: 2n },
    { partition: 1, start: 1n, end: 12n },
  ]);
  expect(await logEnds(adminOf(1), "two")).toEqual([3, 13]);
  expect(await offsetRanges(adminOf(1), "missing")).toEqual([]);
});
