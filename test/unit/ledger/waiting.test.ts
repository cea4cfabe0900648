import { expect, test } from "vitest";
import type { Undelivered } from "../../../pipeline/ledger/feed.ts";
import type { FoundLine } from "../../../pipeline/ledger/messages.ts";
import { findWaiting } from "../../../pipeline/ledger/waiting.ts";
import { fakeDatabase } from "./fake-database.ts";

const found = (
  stream: FoundLine["stream"],
  pending: number,
  seconds: number | null,
): FoundLine => ({
  ...{ epoch: 1, stream, day: "2026-01-01", raw: 9, typed: 0, rejected: 0, pending },
  ...{ pending_seconds: seconds, same_rows: true, stored: {} },
});

const stuck: Undelivered = {
  ...{
    epoch: 1,
    stream: "geo",
    days: new Map([
      ["2026-01-01", 3],
      ["2026-01-02", 1],
    ]),
    oldestSeconds: 45,
  },
  ...{ step: "stg.geo_queue (not attached)", next: "make topics" },
};

const behind = { layer: "dds", stream: "device", step: "load_dds", count: 7, oldest_seconds: 20 };

test("what waits is listed from the topics to dm, with its oldest and the command", async () => {
  const { db } = fakeDatabase(() => [behind]);
  const lines = [found("browser", 2, 10), found("browser", 3, 30), found("device", 0, null)];
  expect(await findWaiting(db, 1, lines, [stuck])).toEqual([
    {
      ...{ layer: "stg", stream: "geo", count: 4, oldestSeconds: 45 },
      ...{ step: "stg.geo_queue (not attached)", next: "make topics" },
    },
    {
      ...{ layer: "ods", stream: "browser", count: 5, oldestSeconds: 30 },
      ...{ step: "load_ods", next: "make transform" },
    },
    {
      ...{ layer: "dds", stream: "device", count: 7, oldestSeconds: 20 },
      ...{ step: "load_dds", next: "make transform" },
    },
  ]);
});

test("nothing waits where nothing is left to do", async () => {
  const { db } = fakeDatabase(() => []);
  const delivered = { ...stuck, days: new Map<string, number>() };
  expect(await findWaiting(db, 1, [found("browser", 0, null)], [delivered])).toEqual([]);
});

test("the command works where the data are", async () => {
  const { db } = fakeDatabase(() => [behind], "embedded");
  const [line] = await findWaiting(db, 1, [], []);
  expect(line?.next).toBe("pipeline transform --no-full-refresh (on the database of a test)");
});

test("what waits of an earlier epoch is a line of its own, with its epoch", async () => {
  const { db } = fakeDatabase(() => []);
  const lines = [found("browser", 2, 10), { ...found("browser", 3, 30), epoch: 0 }];
  const waiting = await findWaiting(db, 1, lines, [{ ...stuck, epoch: 0 }]);
  expect(waiting.map(({ layer, stream, epoch, count }) => [layer, stream, epoch, count])).toEqual([
    ["stg", "geo", 0, 4],
    ["ods", "browser", undefined, 2],
    ["ods", "browser", 0, 3],
  ]);
});
