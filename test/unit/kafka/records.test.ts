import { crc32c, Reader, readRecordsBatch } from "@platformatic/kafka";
import fc from "fast-check";
import { expect, test } from "vitest";
import { murmur2, Partitioner } from "../../../kafka/partition.ts";
import { Sequences } from "../../../kafka/produce.ts";
import { encodeHeader, RecordBuilder, stamp } from "../../../kafka/records.ts";

// The vectors of Kafka's own test of its Java partitioner.
test.each([
  ["21", -973932308],
  ["foobar", -790332482],
  ["a-little-bit-long-string", -985981536],
  ["a-little-bit-longer-string", -1486304829],
  ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971],
  ["abc", 479470107],
])("murmur2 of %s is what Java computes", (key, hash) => {
  expect(murmur2(Buffer.from(key))).toBe(hash);
});

test("every partition is reached and none beyond, the same one for the same key", () => {
  const partitioner = new Partitioner();
  const keys = Array.from({ length: 1_000 }, (_, n) => `key-${n}`);
  const partitions = keys.map((key) => partitioner.partitionOf(key, 4));
  expect(new Set(partitions)).toEqual(new Set([0, 1, 2, 3]));
  expect(keys.map((key) => partitioner.partitionOf(key, 4))).toEqual(partitions);
  // -973932308 without its sign is 1173551340; topics need not have the same number of partitions.
  expect([1, 3, 7].map((count) => partitioner.partitionOf("21", count))).toEqual([0, 0, 3]);
});

const FIRST = 1_767_225_600_123;
const message = fc.record({
  key: fc.option(fc.string({ unit: "grapheme", maxLength: 40 })),
  value: fc.string({ unit: "grapheme", maxLength: 400 }),
  header: fc.string({ unit: "grapheme", maxLength: 90 }),
  at: fc.integer({ min: FIRST, max: FIRST + 100_000 }),
});

test("an independent reader finds every record as it was written", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 80 }), async (messages) => {
      const builder = new RecordBuilder();
      const at = messages.map((message, index) => (index === 0 ? FIRST : message.at));
      messages.forEach(({ key, value, header }, index) => {
        const headers = { bytes: encodeHeader("name", header), count: 1 };
        builder.add(key, value, headers, at[index] ?? FIRST);
      });
      const [batch] = builder.take();
      if (!batch) throw new Error("nothing was encoded");
      stamp(batch, { id: 77n, epoch: 3 }, 1_000);
      const read = readRecordsBatch(Reader.from(batch.bytes));
      expect(read).toMatchObject({
        length: batch.bytes.length - 12,
        magic: 2,
        producerId: 77n,
        producerEpoch: 3,
        firstSequence: 1_000,
        firstTimestamp: BigInt(FIRST),
        maxTimestamp: BigInt(Math.max(...at)),
        lastOffsetDelta: messages.length - 1,
      });
      expect(read.crc).toBe(crc32c(batch.bytes.subarray(21)) >>> 0);
      expect(
        read.records.map(({ key, value, headers }) => ({
          key: key?.toString() ?? null,
          value: value?.toString(),
          header: headers[0]?.[1]?.toString() ?? "",
        })),
      ).toEqual(messages.map(({ key, value, header }) => ({ key, value, header })));
      // A clock that goes back does not take the batch's times along.
      expect(read.records.map(({ timestampDelta }) => Number(timestampDelta))).toEqual(
        at.map((_, index) => Math.max(...at.slice(0, index + 1)) - FIRST),
      );
      expect(read.records.map(({ offsetDelta }) => offsetDelta)).toEqual(messages.map((_, n) => n));
    }),
    { numRuns: 60 },
  );
});

test("a long run of records becomes several batches, a huge record one of its own", async () => {
  const builder = new RecordBuilder();
  const values = [
    ...Array.from({ length: 3_000 }, (_, n) => `${n}`.padEnd(500, "x")),
    "y".repeat(3_000_000),
    "z",
  ];
  for (const value of values) builder.add(null, value, { bytes: Buffer.alloc(0), count: 0 }, 0);
  const batches = builder.take();
  expect(batches.length).toBeGreaterThan(3);
  expect(batches.reduce((sum, { records }) => sum + records, 0)).toBe(values.length);
  const read = batches.flatMap(({ bytes }) =>
    readRecordsBatch(Reader.from(bytes)).records.map(({ value }) => String(value)),
  );
  expect(read).toEqual(values);
  expect(new RecordBuilder().take()).toEqual([]);
});

test("sequence numbers count on per partition and start over after 2^31 - 1", () => {
  const sequences = new Sequences();
  expect([
    sequences.take("a", 0, 10),
    sequences.take("a", 0, 5),
    sequences.take("a", 1, 1),
  ]).toEqual([0, 10, 0]);
  expect(sequences.take("b", 0, 2 ** 31 - 3)).toBe(0);
  expect(sequences.take("b", 0, 5)).toBe(2 ** 31 - 3);
  expect(sequences.take("b", 0, 1)).toBe(2);
});
