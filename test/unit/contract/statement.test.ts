import fc from "fast-check";
import { expect, test } from "vitest";
import { zeroCounts } from "../../../contract/defects.ts";
import type { Manifest } from "../../../contract/manifest.ts";
import { emptyBatch, type MessageBatch, messagesIn } from "../../../contract/ports.ts";
import {
  addBatch,
  addStatements,
  emptyStatement,
  statementOf,
  statementSchema,
} from "../../../contract/statement.ts";
import { STREAMS } from "../../../contract/streams.ts";
import { HOUR, parseMicros } from "../../../contract/time.ts";

const EVENING = parseMicros("2026-01-01T23:59:59.999999Z");

/** Messages of a stream emitted at these times. */
function emitted(times: Partial<Record<(typeof STREAMS)[number], (number | null)[]>>) {
  const batch = emptyBatch();
  for (const stream of STREAMS) {
    for (const at of times[stream] ?? []) {
      batch[stream].keys.push(null);
      batch[stream].values.push("{}");
      batch[stream].emittedAt.push(at);
    }
  }
  return batch;
}

const aStatementOf = (...batches: MessageBatch[]) => {
  const statement = emptyStatement();
  for (const batch of batches) addBatch(statement, batch);
  return statement;
};

test("counts messages per stream, and those with a known time per day", () => {
  const statement = aStatementOf(
    emitted({ browser: [EVENING, EVENING + 1, null], geo: [EVENING] }),
    emitted({ browser: [EVENING + 1] }),
  );
  expect(statement).toEqual({
    counts: { browser: 4, location: 0, device: 0, geo: 1 },
    days: {
      "2026-01-01": { browser: 1, location: 0, device: 0, geo: 1 },
      "2026-01-02": { browser: 2, location: 0, device: 0, geo: 0 },
    },
  });
  expect(statementSchema.parse(JSON.parse(JSON.stringify(statement)))).toEqual(statement);
});

test("a manifest states what a source sent", () => {
  const statement = aStatementOf(emitted({ device: [EVENING] }));
  const manifest = { ...statement, seed: "1", users: 1 } as unknown as Manifest;
  expect(statementOf(manifest)).toEqual(statement);
});

test("counts the messages of all streams of a batch", () => {
  const nothing = { keys: [], values: [], emittedAt: [] };
  expect(emptyBatch()).toEqual(Object.fromEntries(STREAMS.map((stream) => [stream, nothing])));
  expect(messagesIn(emptyBatch())).toBe(0);
  const batch = emitted({ browser: [1, 2], location: [3], device: [null], geo: [4] });
  expect(messagesIn(batch)).toBe(5);
  // The empty batch must not share its counts with another.
  expect(messagesIn(emptyBatch())).toBe(0);
});

test("the sum of statements equals the statement of all their batches", () => {
  const time = fc.option(fc.integer({ min: EVENING - 30 * HOUR, max: EVENING + 30 * HOUR }));
  const times = fc.array(time, { maxLength: 6 });
  const batch = fc.record({ browser: times, location: times, device: times, geo: times });
  fc.assert(
    fc.property(fc.array(batch.map(emitted), { maxLength: 4 }), (batches) => {
      const parts = batches.map((each) => aStatementOf(each));
      const before = structuredClone(parts);
      expect(addStatements(parts)).toEqual(aStatementOf(...batches));
      // The sum must not change its inputs.
      expect(parts).toEqual(before);
    }),
  );
  expect(addStatements([])).toEqual({ counts: zeroCounts(), days: {} });
});

test.each([
  { counts: zeroCounts() },
  { counts: zeroCounts(), days: { yesterday: zeroCounts() } },
  { counts: zeroCounts(), days: {}, more: 1 },
  { counts: { ...zeroCounts(), geo: -1 }, days: {} },
])("refuses %j", (value) => {
  expect(statementSchema.safeParse(value).success).toBe(false);
});
