import { compatibilityPartitioner, Reader, readRecordsBatch } from "@platformatic/kafka";
import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyBatch, type MessageBatch } from "../../../contract/ports.ts";
import { formatMicros, parseMicros } from "../../../contract/time.ts";
import {
  BATCH_HISTORY_TOPIC,
  type BatchHistory,
  HEADERS,
  MANIFEST_TOPIC,
  STATE_TOPIC,
} from "../../../contract/topics.ts";
import {
  controlRecords,
  GROUP_MESSAGES,
  GroupQueue,
  type PendingBatch,
} from "../../../kafka/batch-groups.ts";
import { BatchEncoder, encodeControl } from "../../../kafka/encode.ts";
import type { PartitionBatches } from "../../../kafka/produce.ts";

const PARTITIONS = new Map([["browser_events", 3]]);
const EPOCH = 1_767_225_600_123;

/** Content of record batches, in order. */
const read = (parts: readonly PartitionBatches[]) =>
  parts.flatMap(({ topic, partition, batches }) =>
    batches.flatMap(({ bytes, records }) => {
      const found = readRecordsBatch(Reader.from(bytes)).records;
      expect(found.length).toBe(records);
      return found.map(({ key, value, headers }) => ({
        topic,
        partition,
        key: key?.toString() ?? null,
        value: String(value),
        headers: Object.fromEntries(headers.map(([name, text]) => [String(name), String(text)])),
      }));
    }),
  );

const FIRST = parseMicros("2026-01-01T00:00:00Z");
// Times close together and out of order, so that minutes repeat as they do with late messages.
const message = fc.record({
  key: fc.option(fc.string({ unit: "grapheme", maxLength: 40 })),
  value: fc.string({ unit: "grapheme", maxLength: 60 }),
  at: fc.option(fc.integer({ min: FIRST - 90_000_000, max: FIRST + 90_000_000 })),
});
const messages = fc.array(message, { maxLength: 30 });

function batchOf(all: readonly { key: string | null; value: string; at: number | null }[]) {
  const batch = emptyBatch();
  for (const { key, value, at } of all) {
    batch.browser.keys.push(key);
    batch.browser.values.push(value);
    batch.browser.emittedAt.push(at);
  }
  return batch;
}

// Hashes of Java's own test: -973932308 and 479470107, without their sign.
test.each([
  ["21", 1_173_551_340 % 3],
  ["abc", 479_470_107 % 3],
])("the key %s is in the partition of Java's default partitioner", (key, partition) => {
  const encoder = new BatchEncoder(PARTITIONS, EPOCH);
  encoder.add(batchOf([{ key, value: "", at: null }]));
  expect(read(encoder.take())).toMatchObject([{ key, partition }]);
});

test("every message carries epoch and emission time, in its key's partition, in order", () => {
  const encoder = new BatchEncoder(PARTITIONS, EPOCH);
  fc.assert(
    fc.property(fc.array(messages, { maxLength: 4 }), (batches) => {
      for (const all of batches) encoder.add(batchOf(all));
      const found = read(encoder.take());
      const expected = batches.flat().map(({ key, value, at }) => ({
        topic: "browser_events",
        key,
        value,
        headers: {
          [HEADERS.epoch]: String(EPOCH),
          ...(at === null ? {} : { [HEADERS.emittedAt]: formatMicros(at) }),
        },
      }));
      for (const partition of [0, 1, 2]) {
        const here = found.filter((one) => one.partition === partition && one.key !== null);
        const due = expected.filter(
          ({ key }) =>
            key !== null &&
            compatibilityPartitioner({ topic: "" }, Buffer.from(key)) % 3 === partition,
        );
        expect(here).toEqual(due.map((one) => ({ ...one, partition })));
      }
      const bare = <T extends { key: string | null; value: string; headers: object }>(all: T[]) =>
        all
          .filter(({ key }) => key === null)
          .map(({ value, headers }) => JSON.stringify([value, headers]))
          .sort();
      expect(bare(found)).toEqual(bare(expected));
      const turns = [0, 1, 2].map(
        (n) => found.filter(({ key, partition }) => key === null && partition === n).length,
      );
      expect(Math.max(...turns) - Math.min(...turns)).toBeLessThanOrEqual(1);
      expect(encoder.take()).toEqual([]);
    }),
  );
});

test("control records of a topic share one batch", () => {
  const records = ["a", "b", "c"].map((key) => ({ topic: "history", key, value: `${key}!` }));
  const parts = encodeControl(7, [...records, { topic: "state", key: "s", value: "{}" }]);
  expect(parts.map(({ topic, batches }) => [topic, batches.length])).toEqual([
    ["history", 1],
    ["state", 1],
  ]);
  expect(read(parts).map(({ key, value, headers }) => [key, value, headers])).toEqual([
    ...records.map(({ key, value }) => [key, value, { [HEADERS.epoch]: "7" }]),
    ["s", "{}", { [HEADERS.epoch]: "7" }],
  ]);
});

const numbered = (from: number, count: number): MessageBatch =>
  batchOf(Array.from({ length: count }, (_, n) => ({ key: null, value: `${from + n}`, at: null })));

const waitingFor = (n: number): PendingBatch => ({
  records: { state: { n } },
  resolve: () => undefined,
  reject: () => undefined,
});

test("batches form groups of one transaction each, in order, without repeats", () => {
  const sizes = [10, GROUP_MESSAGES - 11, 1, 5, GROUP_MESSAGES, 3];
  const queue = new GroupQueue(PARTITIONS, 1);
  let sent = 0;
  for (const [n, size] of sizes.entries()) {
    queue.add(numbered(sent, size), waitingFor(n));
    sent += size;
  }
  const groups = [queue.take(), queue.take(), queue.take()].filter((group) => group !== undefined);
  // The batch that fills a group still belongs to it.
  expect(groups.map(({ messages }) => messages)).toEqual([GROUP_MESSAGES, GROUP_MESSAGES + 5, 3]);
  expect(groups.map(({ waiting }) => waiting.map(({ records }) => records.state))).toEqual([
    [{ n: 0 }, { n: 1 }, { n: 2 }],
    [{ n: 3 }, { n: 4 }],
    [{ n: 5 }],
  ]);
  const values = groups.map(({ parts }) => read(parts()).map(({ value }) => Number(value)));
  expect(values.map((all) => [Math.min(...all), Math.max(...all)])).toEqual([
    [0, GROUP_MESSAGES - 1],
    [GROUP_MESSAGES, 2 * GROUP_MESSAGES + 4],
    [2 * GROUP_MESSAGES + 5, 2 * GROUP_MESSAGES + 7],
  ]);
  expect(new Set(values.flat()).size).toBe(sent);
  expect(queue.take()).toBeUndefined();
});

test("a batch that cannot be encoded is reported in its order, and none of it is sent", () => {
  const queue = new GroupQueue(PARTITIONS, 1);
  const broken = numbered(0, 3);
  Object.defineProperty(broken.browser.values, 2, {
    get: () => {
      throw new Error("out of memory");
    },
  });
  const batches = [numbered(0, GROUP_MESSAGES), numbered(1, 2), broken, numbered(5, 1)];
  for (const [n, batch] of batches.entries()) queue.add(batch, waitingFor(n));
  const [full, failed, after] = [queue.take(), queue.take(), queue.take()];
  expect(read(full?.parts() ?? []).length).toBe(GROUP_MESSAGES);
  // The encoded batches of the same transaction are dropped with it.
  expect(failed).toMatchObject({ messages: 5, waiting: [{}, {}] });
  expect(() => failed?.parts()).toThrow("out of memory");
  expect(read(after?.parts() ?? []).map(({ value }) => value)).toEqual(["5"]);
});

test("dropped batches are returned and not sent later", () => {
  const queue = new GroupQueue(PARTITIONS, 1);
  queue.add(numbered(0, GROUP_MESSAGES), waitingFor(0));
  queue.add(numbered(0, 7), waitingFor(1));
  expect(queue.drop().map(({ messages }) => messages)).toEqual([GROUP_MESSAGES, 7]);
  expect(queue.take()).toBeUndefined();
  queue.add(numbered(9, 1), waitingFor(2));
  expect(read(queue.take()?.parts() ?? []).map(({ value }) => value)).toEqual(["9"]);
});

test("a group has the history of each batch, and the last state and manifest", () => {
  const history = (id: string) => ({ batch_id: id }) as BatchHistory;
  const group = [
    { history: history("1"), state: { next: 1 }, manifest: { days: 1 } },
    { history: history("2"), state: { next: 2 }, manifest: { days: 2 } },
    {},
  ];
  expect(controlRecords("one", group)).toEqual([
    { topic: BATCH_HISTORY_TOPIC, key: "1", value: '{"batch_id":"1"}' },
    { topic: BATCH_HISTORY_TOPIC, key: "2", value: '{"batch_id":"2"}' },
    { topic: STATE_TOPIC, key: "one", value: '{"next":2}' },
    { topic: MANIFEST_TOPIC, key: "one", value: '{"days":2}' },
  ]);
});
