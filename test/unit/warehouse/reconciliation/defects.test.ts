import { describe, expect, test } from "vitest";
import { type DefectCounts, type DefectKind, noDefects } from "../../../../contract/defects.ts";
import type { StreamName } from "../../../../contract/streams.ts";
import { type DefectsOf, scoreDefects } from "../../../../warehouse/reconciliation/defects.ts";
import type {
  Layer,
  MessageLine,
  WaitingLine,
} from "../../../../warehouse/reconciliation/reconciliation.ts";
import { fakeDatabase } from "./fake-database.ts";

type Numbers = Partial<Record<DefectKind, Partial<Record<StreamName, number>>>>;

const counts = (numbers: Numbers): DefectCounts => {
  const all = noDefects();
  for (const [kind, streams] of Object.entries(numbers)) {
    Object.assign(all[kind as DefectKind], streams);
  }
  return all;
};

const waiting = (layer: Layer, stream: StreamName, count: number): WaitingLine => ({
  ...{ layer, stream, count, oldestSeconds: 1, step: "a step", hint: "a command" },
});

const inFlight = (stream: StreamName, count: number): MessageLine => ({
  ...{ epoch: 1, stream, day: "", generated: 0, inFlight: count, undelivered: 0 },
  ...{ raw: 0, typed: 0, rejected: 0, pending: 0, unaccounted: 0 },
});

async function scoreOf(
  kind: DefectKind,
  injected: Numbers,
  found: Numbers,
  state: Partial<DefectsOf> = {},
) {
  const rows = Object.entries(found).flatMap(([name, streams]) =>
    Object.entries(streams).map(([stream, count]) => ({ kind: name, stream, found: count })),
  );
  const { db } = fakeDatabase(() => rows);
  const reconciliation = { epoch: 1, messages: [], waiting: [], ...state };
  const lines = await scoreDefects(db, reconciliation, counts(injected));
  const { kind: _, ...score } = lines.find((line) => line.kind === kind) ?? {};
  return score;
}

const score = (
  injected: number,
  caught: number,
  pending: number,
  missed: number,
  falseAlarms = 0,
) => ({
  ...{ injected, caught, pending, missed, falseAlarms },
});

describe("a message defect that ods shows", () => {
  test.each([
    ["all are caught", 5, score(5, 5, 0, 0)],
    ["two are missed", 3, score(5, 3, 0, 2)],
    ["one is found too many", 6, score(5, 5, 0, 0, 1)],
  ])("%s", async (_, found, expected) => {
    const injected = { late: { browser: 5 } };
    expect(await scoreOf("late", injected, { late: { browser: found } })).toEqual(expected);
  });

  test.each([
    ["in the topic", { waiting: [waiting("stg", "browser", 1)] }, score(5, 3, 1, 1)],
    ["not typed", { waiting: [waiting("ods", "browser", 9)] }, score(5, 3, 2, 0)],
    ["sent meanwhile", { messages: [inFlight("browser", 2)] }, score(5, 3, 2, 0)],
    [
      "of an earlier epoch",
      { waiting: [{ ...waiting("ods", "browser", 9), epoch: 0 }] },
      score(5, 3, 0, 2),
    ],
    ["of another stream", { waiting: [waiting("ods", "geo", 9)] }, score(5, 3, 0, 2)],
    ["sent meanwhile by another", { messages: [inFlight("geo", 2)] }, score(5, 3, 0, 2)],
    ["typed, where it was found", { waiting: [waiting("dds", "browser", 9)] }, score(5, 3, 0, 2)],
  ])("a waiting message is pending, not missed: %s", async (_, state, expected) => {
    const injected = { late: { browser: 5 } };
    expect(await scoreOf("late", injected, { late: { browser: 3 } }, state)).toEqual(expected);
  });

  test("each stream has its own score: a surplus in one hides no loss in another", async () => {
    const injected = { malformed: { browser: 2, geo: 2 } };
    const found = { malformed: { browser: 3, geo: 1 } };
    expect(await scoreOf("malformed", injected, found)).toEqual(score(4, 3, 0, 1, 1));
  });
});

test("the query covers defects of the reconciliation's epoch, up to the cut", async () => {
  const { db, asked } = fakeDatabase(() => []);
  const cut = new Map([
    [
      "browser" as const,
      new Map([
        [0, 5n],
        [1, 7n],
      ]),
    ],
  ]);
  await scoreDefects(db, { epoch: 7, messages: [], waiting: [] }, noDefects(), cut);
  const ends = {
    browser_ends: "{0:5,1:7}",
    location_ends: "{}",
    device_ends: "{}",
    geo_ends: "{}",
  };
  expect(asked.map(({ params }) => params)).toEqual([{ epoch: 7, ...ends }]);
});

describe("a message that was never sent, found in dds", () => {
  const injected = { missing_location: { location: 5 }, malformed: { location: 2 } };

  test("malformed messages are also missing there, but count only as malformed", async () => {
    const found = { missing_location: { location: 7 }, malformed: { location: 2 } };
    expect(await scoreOf("missing_location", injected, found)).toEqual(score(5, 5, 0, 0));
  });

  test("malformed messages of other streams do not count", async () => {
    const found = { missing_location: { location: 5 }, malformed: { browser: 3, geo: 1 } };
    expect(await scoreOf("missing_location", injected, found)).toEqual(score(5, 5, 0, 0));
  });

  test("a malformed device message is also missing there", async () => {
    const devices = { missing_device: { device: 4 }, malformed: { device: 3 } };
    const found = { missing_device: { device: 7 }, malformed: { device: 3 } };
    expect(await scoreOf("missing_device", devices, found)).toEqual(score(4, 4, 0, 0));
  });

  test("with an empty dds all are pending, and no count is negative", async () => {
    const found = { missing_location: { location: 0 }, malformed: { location: 2 } };
    const state = { waiting: [waiting("dds", "browser", 100)] };
    expect(await scoreOf("missing_location", injected, found, state)).toEqual(score(5, 0, 5, 0));
  });

  test("an event whose location waits is no false alarm", async () => {
    const found = { missing_location: { location: 9 }, malformed: { location: 2 } };
    const state = { waiting: [waiting("ods", "location", 1)] };
    expect(await scoreOf("missing_location", injected, found, state)).toEqual(score(5, 5, 0, 0, 1));
    const both = { waiting: [waiting("ods", "location", 1), waiting("stg", "location", 1)] };
    expect(await scoreOf("missing_location", injected, found, both)).toEqual(score(5, 5, 0, 0));
  });

  test("a session without a device may wait in the browser or the geo stream", async () => {
    const devices = { missing_device: { device: 4 } };
    const found = { missing_device: { device: 1 } };
    const state = { waiting: [waiting("dds", "browser", 1), waiting("stg", "geo", 1)] };
    expect(await scoreOf("missing_device", devices, found, state)).toEqual(score(4, 1, 2, 1));
  });

  test("a message that waits only for dm has already been found", async () => {
    const found = { missing_location: { location: 3 } };
    const state = { waiting: [waiting("dm", "browser", 100)] };
    expect(await scoreOf("missing_location", injected, found, state)).toEqual(score(5, 3, 0, 2));
  });
});
