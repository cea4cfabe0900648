import type { Admin } from "@platformatic/kafka";
import { beforeEach, expect, test, vi } from "vitest";
import { emptyStatement } from "../../../../contract/statement.ts";
import { HEADERS, topicSpecs } from "../../../../contract/topics.ts";
import { closeEpoch } from "../../../../warehouse/reconciliation/close-epoch.ts";
import { storeLastSources } from "../../../../warehouse/sources/broker.ts";
import { fakeDatabase } from "./fake-database.ts";

const EPOCH = 6;
const SAID = JSON.stringify({ kind: "load", statement: emptyStatement(), isFinal: true });
/** Messages of the topic geo_events, by the epoch in their header. */
let sent: readonly { readonly epoch: number; readonly offset: bigint }[] = [];
beforeEach(() => vi.mocked(storeLastSources).mockClear());

vi.mock("../../../../warehouse/sources/broker.ts", () => ({
  storeLastSources: vi.fn(),
}));
vi.mock("../../../../kafka/epoch.ts", () => ({ readIntactEpoch: async () => ({ epoch: EPOCH }) }));
vi.mock("../../../../kafka/open-transactions.ts", () => ({
  waitForOpenTransactions: async () => undefined,
}));
vi.mock("../../../../kafka/read.ts", () => ({
  offsetRanges: async () => [{ partition: 0, start: 0n, end: 10n }],
  readCommitted: async function* (_: Admin, topic: string) {
    if (topic !== "geo_events") return;
    for (const { epoch, offset } of sent) {
      const headers = new Map([[HEADERS.epoch, String(epoch)]]);
      yield { value: "{}", offset, headers, timestamp: Date.now() };
    }
  },
}));

const admin = {
  listTopics: async () => topicSpecs().map(({ name }) => name),
  listConsumerGroupOffsets: async () => [],
} as unknown as Admin;

/** The reader is detached, so nothing waits for it. */
const databaseWith = (rows: { stored?: readonly object[]; sources?: readonly object[] }) =>
  fakeDatabase((sql) => {
    if (sql.includes("detached_tables")) return [{ state: "detached" }];
    if (sql.includes("stg.epoch")) return [{ epoch: 5 }, { epoch: EPOCH }];
    if (sql.includes("stg.manifest")) return rows.sources ?? [];
    return sql.includes("_offset") ? (rows.stored ?? []) : [];
  }).db;

const close = (rows: Parameters<typeof databaseWith>[0]) =>
  closeEpoch(databaseWith(rows), admin, { isFinal: true });

test("counts messages that stg does not hold, and refuses", async () => {
  sent = [3n, 4n, 5n].map((offset) => ({ epoch: EPOCH, offset }));
  await expect(
    close({ stored: [{ epoch: EPOCH, stream: "geo", stored: { 0: 3 } }] }),
  ).rejects.toThrow(": 2 geo messages (stg.queue (not attached)). Nothing was changed");
  expect(storeLastSources).not.toHaveBeenCalled();
});

test("a message of an earlier epoch in stg counts as stored", async () => {
  sent = [{ epoch: 5, offset: 3n }];
  await close({ stored: [{ epoch: 5, stream: "geo", stored: { 0: 3 } }] });
});

test.each([
  ["its messages", { stored: [{ epoch: EPOCH, stream: "geo", stored: { 0: 3 } }] }, 1],
  [
    "its sources",
    {
      sources: [{ epoch: EPOCH, source: "a", statement: SAID, manifest: "" }],
    },
    1,
  ],
  ["nothing of it", { stored: [{ epoch: 5, stream: "geo", stored: { 0: 3 } }] }, 0],
])("a database that holds %s", async (_, rows, times) => {
  sent = [];
  await close(rows);
  expect(storeLastSources).toHaveBeenCalledTimes(times);
});
