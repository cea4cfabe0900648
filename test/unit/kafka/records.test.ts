import { zstdDecompressSync } from "node:zlib";
import { crc32c, Reader, readRecordsBatch } from "@platformatic/kafka";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Sequences } from "../../../kafka/produce.ts";
import { encodeHeader, RecordBuilder, stamp } from "../../../kafka/records.ts";

/** Checks what the client's reader skips: each record's length, and the end of the batch. */
function requireFraming(bytes: Buffer, records: number): void {
  const payload = zstdDecompressSync(bytes.subarray(61));
  let at = 0;
  for (let record = 0; record < records; record += 1) {
    let length = 0;
    let shift = 0;
    let byte = 128;
    while (byte > 127) {
      byte = payload[at++] ?? 0;
      length += (byte & 127) * 2 ** shift;
      shift += 7;
    }
    at += length / 2; // zigzag of a positive number
  }
  expect(at).toBe(payload.length);
}

const FIRST = 1_767_225_600_123;
const LONE_SURROGATE = "\ud800";
const message = fc.record({
  key: fc.option(fc.string({ unit: "grapheme", maxLength: 40 })),
  value: fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 400 }),
    fc.constant(`a ${LONE_SURROGATE} alone`),
  ),
  header: fc.string({ unit: "grapheme", maxLength: 90 }),
  at: fc.integer({ min: FIRST, max: FIRST + 100_000 }),
});

test("an independent reader finds every record as written", () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 80 }), (messages) => {
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
      requireFraming(batch.bytes, messages.length);
      expect(read).toMatchObject({
        attributes: 20, // zstd, transactional
        length: batch.bytes.length - 12,
        magic: 2,
        partitionLeaderEpoch: -1, // set by the broker
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
      ).toEqual(
        messages.map(({ key, value, header }) => ({ key, value: value.toWellFormed(), header })),
      );
      // A clock that goes back must not change the batch's times.
      expect(read.records.map(({ timestampDelta }) => Number(timestampDelta))).toEqual(
        at.map((_, index) => Math.max(...at.slice(0, index + 1)) - FIRST),
      );
      expect(read.records.map(({ offsetDelta }) => offsetDelta)).toEqual(messages.map((_, n) => n));
    }),
    { numRuns: 60 },
  );
});

test("a long run of records becomes several batches, a huge record a separate one", () => {
  const builder = new RecordBuilder();
  const values = [
    ...Array.from({ length: 3_000 }, (_, n) => `${n}`.padEnd(500, "x")),
    "y".repeat(3_000_000),
    "z",
  ];
  const headers = { bytes: Buffer.alloc(0), count: 0 };
  // A corrected clock may jump further than the time range of one batch.
  const times = values.map((_, n) => n * 70 + (n > 1_000 ? FIRST : 0));
  for (const [n, value] of values.entries()) builder.add(null, value, headers, times[n] ?? 0);
  const batches = builder.take();
  expect(batches.length).toBeGreaterThan(3);
  expect(batches.reduce((sum, { records }) => sum + records, 0)).toBe(values.length);
  const found = batches.map(({ bytes }) => readRecordsBatch(Reader.from(bytes)));
  expect(found.flatMap(({ records }) => records.map(({ value }) => String(value)))).toEqual(values);
  for (const { bytes, records } of batches) requireFraming(bytes, records);
  const at = found.flatMap(({ records, firstTimestamp }) =>
    records.map(({ timestampDelta }) => Number(firstTimestamp + timestampDelta)),
  );
  expect(at).toEqual(times);
  // The header describes its own records, without the one that no longer fits.
  for (const { records, firstTimestamp, maxTimestamp } of found) {
    expect(maxTimestamp).toBe(firstTimestamp + (records.at(-1)?.timestampDelta ?? 0n));
  }
  expect(new RecordBuilder().take()).toEqual([]);
});

test("lengths are encoded correctly on both sides of each additional byte", () => {
  const sizes = [63, 64, 8_191, 8_192, 1_048_575, 1_048_576];
  const headers = { bytes: Buffer.alloc(0), count: 0 };
  for (const size of sizes) {
    const builder = new RecordBuilder();
    builder.add("k".repeat(Math.min(size, 10_000)), "v".repeat(size), headers, FIRST);
    const [batch] = builder.take();
    if (!batch) throw new Error("nothing was encoded");
    requireFraming(batch.bytes, 1);
    const [record] = readRecordsBatch(Reader.from(batch.bytes)).records;
    expect(record?.value?.length).toBe(size);
  }
});

test.each([
  ["key", "€".repeat(20_000), "", 0],
  ["value", null, "€".repeat(20_000), 0],
  ["header", null, "", 60_000],
])("a long %s fits beside existing records", (_, key, value, headerBytes) => {
  const builder = new RecordBuilder();
  const none = { bytes: Buffer.alloc(0), count: 0 };
  builder.add(null, "first", none, FIRST);
  const header = encodeHeader("name", "h".repeat(headerBytes));
  builder.add(key, value, { bytes: header, count: 1 }, FIRST);
  builder.add(null, "last", none, FIRST);
  const [batch] = builder.take();
  if (!batch) throw new Error("nothing was encoded");
  const read = readRecordsBatch(Reader.from(batch.bytes)).records;
  expect(read.map((record) => String(record.value))).toEqual(["first", value, "last"]);
  expect(read[1]?.key?.toString() ?? null).toBe(key);
  expect(read[1]?.headers[0]?.[1]?.length).toBe(headerBytes);
});

test("sequence numbers increase per partition and restart after 2^31 - 1", () => {
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
