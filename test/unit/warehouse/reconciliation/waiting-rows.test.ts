import { describe, expect, test } from "vitest";
import type { UndeliveredMessages } from "../../../../warehouse/reconciliation/feed.ts";
import type { FoundLine } from "../../../../warehouse/reconciliation/messages.ts";
import {
  lagsOf,
  type Progress,
  readProgress,
} from "../../../../warehouse/reconciliation/progress.ts";
import {
  findWaiting,
  waitingForReader,
} from "../../../../warehouse/reconciliation/waiting-rows.ts";
import { fakeDatabase } from "./fake-database.ts";
import { DONE as ALL_DONE, dmSteps } from "./progress.ts";

const found = (
  stream: FoundLine["stream"],
  pending: number,
  seconds: number | null,
): FoundLine => ({
  ...{ epoch: 1, stream, day: "2026-01-01", raw: 9, typed: 0, rejected: 0, pending },
  ...{ pending_seconds: seconds, same_rows: true, stored: {} },
});

const stuck: UndeliveredMessages = {
  ...{
    epoch: 1,
    stream: "geo",
    days: new Map([
      ["2026-01-01", 3],
      ["2026-01-02", 1],
    ]),
    oldestSeconds: 45,
  },
  ...{ step: "stg.queue (not attached)", hint: "run `make topics`" },
};

const DONE = { ...ALL_DONE, dds_seconds: 20, dm_seconds: 10 };

const behind = { layer: "dds", stream: "device", step: "load_dds", count: 7, oldest_seconds: 20 };

test("lists waiting messages from the topics to dm, with the oldest and the command", async () => {
  const { db } = fakeDatabase(() => [behind]);
  const lines = [found("browser", 2, 10), found("browser", 3, 30), found("device", 0, null)];
  expect(await findWaiting(db, 1, lines, [stuck], DONE)).toEqual([
    {
      ...{ layer: "stg", stream: "geo", count: 4, oldestSeconds: 45 },
      ...{ step: "stg.queue (not attached)", hint: "run `make topics`" },
    },
    {
      ...{ layer: "ods", stream: "browser", count: 5, oldestSeconds: 30 },
      ...{ step: "load_ods", hint: "run `make transform`" },
    },
    {
      ...{ layer: "dds", stream: "device", count: 7, oldestSeconds: 20 },
      ...{ step: "load_dds", hint: "run `make transform`" },
    },
  ]);
});

test("lists nothing if nothing is left to do", async () => {
  const { db } = fakeDatabase(() => []);
  const delivered = { ...stuck, days: new Map<string, number>() };
  expect(await findWaiting(db, 1, [found("browser", 0, null)], [delivered], DONE)).toEqual([]);
});

test("names the command for the place of the data", async () => {
  const { db } = fakeDatabase(() => [behind], "folder");
  const [line] = await findWaiting(db, 1, [], [], DONE);
  expect(line?.hint).toBe("run `pipeline transform --no-full-refresh --database folder`");
});

test("lists waiting messages of an earlier epoch separately, with the epoch", async () => {
  const { db } = fakeDatabase(() => []);
  const lines = [found("browser", 2, 10), { ...found("browser", 3, 30), epoch: 0 }];
  const waiting = await findWaiting(db, 1, lines, [{ ...stuck, epoch: 0 }], DONE);
  expect(waiting.map(({ layer, stream, epoch, count }) => [layer, stream, epoch, count])).toEqual([
    ["stg", "geo", 0, 4],
    ["ods", "browser", undefined, 2],
    ["ods", "browser", 0, 3],
  ]);
});

describe("an outdated step without a waiting message", () => {
  test("has its own line", async () => {
    const { db } = fakeDatabase(() => []);
    expect(await findWaiting(db, 1, [], [], { ...DONE, ods_load: 4 })).toEqual([
      {
        ...{ layer: "dds", stream: null, count: 0, oldestSeconds: 20, step: "load_dds" },
        ...{ reason: "load 4 of ods is not in dds yet", hint: "run `make transform`" },
      },
    ]);
  });

  test("has one line if messages wait for it", async () => {
    const { db } = fakeDatabase(() => [behind]);
    const waiting = await findWaiting(db, 1, [], [], { ...DONE, ods_load: 4 });
    expect(waiting).toMatchObject([{ stream: "device", count: 7 }]);
  });

  test.each<[string, Partial<Progress>, string[]]>([
    ["nothing is loaded", { ods_load: 0, dds_load: 0, is_dds_interrupted: 1 }, []],
    ["dds lacks a load of ods", { ods_load: 4, is_dds_interrupted: 1 }, ["dds load_dds 20"]],
    ["load_dds was interrupted", { is_dds_interrupted: 1 }, ["dds load_dds null"]],
    ["dds was not checked", { is_dds_checked: 0 }, ["dds check_dds_integrity null"]],
    [
      "a table of dm lacks a load",
      { dm_steps: dmSteps({ load_dm_sessions: { load: 2 } }) },
      ["dm load_dm_sessions 10"],
    ],
    [
      "a step of dm was interrupted",
      { dm_steps: dmSteps({ load_dm_summary: { is_interrupted: 1 } }) },
      ["dm load_dm_summary null"],
    ],
    [
      "dds and dm were interrupted",
      { is_dds_interrupted: 1, dm_steps: dmSteps({ load_dm_events: { is_interrupted: 1 } }) },
      ["dds load_dds null"],
    ],
    [
      "dm is empty",
      { dm_steps: dmSteps({}).map(({ step }) => ({ step, load: 0, is_interrupted: 1 })) },
      [
        ...["dm load_dm_events 10", "dm load_dm_sessions 10"],
        ...["dm load_dm_visitors 10", "dm load_dm_summary 10"],
      ],
    ],
  ])("%s", (_, state, expected) => {
    const lags = lagsOf({ ...DONE, ...state });
    expect(
      lags.map(({ layer, step, oldestSeconds }) => `${layer} ${step} ${oldestSeconds}`),
    ).toEqual(expected);
  });
});

describe("the reason of an outdated step", () => {
  test.each<[Partial<Progress>, string]>([
    [{ ods_load: 4 }, "load 4 of ods is not in dds yet"],
    [{ is_dds_interrupted: 1 }, "dds has no commit of the last load_dds"],
    [{ is_dds_checked: 0 }, "the last load of dds has not been checked"],
    [{ dm_steps: dmSteps({ load_dm_sessions: { load: 2 } }) }, "load 3 of dds is not in dm yet"],
    [
      { dm_steps: dmSteps({ load_dm_sessions: { is_interrupted: 1 } }) },
      "dm has no commit of the last load_dm_sessions",
    ],
  ])("%o", (state, reason) => {
    expect(lagsOf({ ...DONE, ...state }).map((lag) => lag.reason)).toEqual([reason]);
  });
});

test("a progress query without a row is an error", async () => {
  await expect(readProgress(fakeDatabase(() => []).db)).rejects.toThrow(/progress\.sql/);
  expect(await readProgress(fakeDatabase(() => [DONE]).db)).toEqual(DONE);
});

describe("without a broker", () => {
  test("a detached reader waits", async () => {
    const { db } = fakeDatabase(() => [{ state: "detached" }]);
    expect(await waitingForReader(db)).toMatchObject([
      {
        layer: "stg",
        stream: null,
        step: "stg.queue (not attached)",
        hint: "run `make topics`",
      },
    ]);
  });
});
