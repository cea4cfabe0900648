import type { Admin } from "@platformatic/kafka";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HEADERS } from "../../../../contract/topics.ts";
import type { OffsetRange } from "../../../../kafka/read.ts";
import { findUndelivered } from "../../../../warehouse/reconciliation/undelivered.ts";

const NOW = Date.parse("2026-07-05T12:00:00Z");
/** Age in seconds and epoch of the messages of the topic, by offset. */
const SENT: readonly { age: number; epoch: number | undefined; value?: string | null }[] = [
  { age: 600, epoch: 5 },
  { age: 500, epoch: 6 },
  { age: 90, epoch: 6 },
  { age: 300, epoch: 6 },
  { age: 10, epoch: 6 },
  { age: 70, epoch: 5 },
  { age: 999, epoch: 6, value: "" },
  { age: 999, epoch: 6, value: null },
  { age: 1, epoch: undefined },
];

vi.mock("../../../../kafka/read.ts", () => ({
  readCommitted: async function* (_: Admin, __: string, { start }: OffsetRange) {
    for (const [offset, { age, epoch, value = "{}" }] of SENT.entries()) {
      const headers = new Map<string, string>([[HEADERS.emittedAt, "2026-01-02 03:04:05.000000"]]);
      if (epoch !== undefined) headers.set(HEADERS.epoch, String(epoch));
      const text = value === null ? null : Buffer.from(value);
      if (offset < start) continue;
      yield { value: text, offset: BigInt(offset), headers, timestamp: NOW - age * 1000 };
    }
  },
}));
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

test("undelivered messages have a value and are as old as the oldest of their epoch", async () => {
  const position = {
    stream: "geo",
    ranges: [{ partition: 0, start: 0n, end: 9n }],
    committed: new Map([[0, 1n]]),
    isAttached: true,
  } as const;
  const stored = (_: string, epoch: number) => (epoch === 6 ? 1 : -1);
  const found = await findUndelivered({} as Admin, [position], stored, 6);
  expect(found.map(({ epoch, days, oldestSeconds }) => [epoch, [...days], oldestSeconds])).toEqual([
    [6, [["2026-01-02", 4]], 300],
    [5, [["2026-01-02", 1]], 70],
  ]);
});
