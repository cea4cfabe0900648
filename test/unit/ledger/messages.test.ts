import { describe, expect, test } from "vitest";
import { noStatement, type Statement } from "../../../contract/statement.ts";
import { STREAMS } from "../../../contract/streams.ts";
import type { Undelivered } from "../../../pipeline/ledger/feed.ts";
import {
  type FoundLine,
  findMessages,
  messageLines,
  storedOffsets,
} from "../../../pipeline/ledger/messages.ts";
import { fakeDatabase } from "./fake-database.ts";

const DAY = "2026-01-01";

const found = (line: Partial<FoundLine> = {}): FoundLine => ({
  ...{ stream: "browser", day: DAY, raw: 10, typed: 9, rejected: 1, pending: 0 },
  ...{ pending_seconds: null, same_rows: true, stored: { 0: 9 } },
  ...line,
});

/** A source that sent this many browser messages on one day. */
const sent = (browser: number, day = DAY): Statement => {
  const counts = { ...noStatement().counts, browser };
  return { counts, days: { [day]: counts } };
};

const undelivered = (days: Readonly<Record<string, number>>): Undelivered => ({
  ...{ stream: "browser", days: new Map(Object.entries(days)), oldestSeconds: 5 },
  ...{ step: "stg.browser_queue", next: "make doctor" },
});

const browserLines = (
  ...[lines, bounds, more = []]:
    | Parameters<typeof messageLines>
    | [FoundLine[], Parameters<typeof messageLines>[1]]
) => messageLines(lines, bounds, more).filter(({ stream }) => stream === "browser");

test("without a source nothing is compared with what was sent", () => {
  expect(browserLines([found()], undefined)).toEqual([
    {
      ...{ stream: "browser", day: DAY, generated: null, inFlight: 0, undelivered: 0 },
      ...{ raw: 10, typed: 9, rejected: 1, pending: 0, unaccounted: 0 },
    },
  ]);
});

describe("what was sent before and after the count bounds what is expected", () => {
  test.each([
    ["as many as sent", 10, 10, { generated: 10, inFlight: 0, unaccounted: 0 }],
    ["some were sent meanwhile", 8, 12, { generated: 10, inFlight: 2, unaccounted: 0 }],
    ["fewer than sent before", 12, 15, { generated: 12, inFlight: 3, unaccounted: 2 }],
    ["more than sent after", 5, 7, { generated: 7, inFlight: 0, unaccounted: 3 }],
  ])("%s", (_, before, after, expected) => {
    const bounds = { before: sent(before), after: sent(after) };
    expect(browserLines([found()], bounds)).toMatchObject([expected]);
  });

  test("where a source may have sent more since, nothing is too many and nothing in flight", () => {
    const lines = (before: number) =>
      browserLines([found()], { before: sent(before), after: null });
    expect(lines(4)).toMatchObject([{ generated: 10, inFlight: 0, unaccounted: 0 }]);
    expect(lines(12)).toMatchObject([{ generated: 12, inFlight: 0, unaccounted: 2 }]);
    const silent = messageLines([], { before: sent(3), after: null }, []);
    expect(silent.find(({ stream }) => stream === "browser")).toMatchObject({ unaccounted: 3 });
  });

  test("what the broker holds and stg does not is neither lost nor in flight", () => {
    const bounds = { before: sent(14), after: sent(16) };
    const lines = browserLines([found()], bounds, [undelivered({ [DAY]: 5 })]);
    expect(lines).toMatchObject([{ generated: 15, undelivered: 5, inFlight: 1, unaccounted: 0 }]);
  });
});

describe("between stg and ods", () => {
  test.each([
    ["a message is in neither", { typed: 8 }, 1],
    ["a message is typed twice", { typed: 10 }, 1],
    ["the rest waits for the next load", { typed: 4, pending: 5 }, 0],
    ["one is lost and one is doubled", { same_rows: false }, 2],
    ["three are lost, and the rows differ", { typed: 6, same_rows: false }, 3],
  ])("%s", (_, line, unaccounted) => {
    expect(browserLines([found(line)], undefined)).toMatchObject([{ unaccounted }]);
  });

  test("a loss on either side of stg adds up", () => {
    const bounds = { before: sent(12), after: sent(12) };
    expect(browserLines([found({ typed: 8 })], bounds)).toMatchObject([{ unaccounted: 3 }]);
  });
});

describe("days", () => {
  test("a day of which nothing arrived is missing for the stream that sent on it", () => {
    const bounds = { before: sent(10), after: sent(10) };
    const lines = messageLines([], bounds, []);
    expect(lines.map(({ stream, unaccounted }) => [stream, unaccounted])).toEqual(
      STREAMS.map((stream) => [stream, stream === "browser" ? 10 : 0]),
    );
  });

  test("a day that only the topic has is a line of its own", () => {
    const bounds = { before: sent(3, "2026-01-02"), after: sent(3, "2026-01-02") };
    const lines = browserLines([], bounds, [undelivered({ "2026-01-02": 3 })]);
    expect(lines).toMatchObject([
      { day: "2026-01-02", undelivered: 3, generated: 3, unaccounted: 0 },
    ]);
  });

  test("messages on a day that no source names are too many", () => {
    const bounds = { before: sent(10), after: sent(10) };
    const lines = browserLines(
      [found(), found({ day: "2026-01-05", raw: 2, typed: 2, rejected: 0 })],
      bounds,
    );
    expect(lines.map(({ unaccounted }) => unaccounted)).toEqual([0, 2]);
  });

  test("one message of unknown day makes one line per stream of all days", () => {
    const bounds = { before: sent(13), after: sent(13) };
    const lines = [found(), found({ day: "", raw: 2, typed: 1, rejected: 0, pending: 1 })];
    expect(browserLines(lines, bounds, [undelivered({ [DAY]: 1 })])).toEqual([
      {
        ...{ stream: "browser", day: "", generated: 13, inFlight: 0, undelivered: 1 },
        ...{ raw: 12, typed: 10, rejected: 1, pending: 1, unaccounted: 0 },
      },
    ]);
    expect(messageLines(lines, undefined, [])).toHaveLength(STREAMS.length);
  });

  test("an undelivered message of unknown day does the same", () => {
    const bounds = { before: sent(11), after: sent(11) };
    const lines = browserLines([found()], bounds, [undelivered({ "": 1 })]);
    expect(lines).toMatchObject([{ day: "", generated: 11, undelivered: 1, unaccounted: 0 }]);
  });

  test("rows that differ on one day differ in the sum of all", () => {
    const lines = [found({ day: "" }), found({ same_rows: false })];
    expect(browserLines(lines, undefined)).toMatchObject([{ day: "", unaccounted: 2 }]);
  });
});

describe("streams and days are counted apart", () => {
  const bounds = { before: sent(20), after: sent(20) };
  const other = { ...undelivered({ [DAY]: 4 }), stream: "geo" as const };

  test("what is not delivered counts for its own stream and day", () => {
    const more = [other, undelivered({ [DAY]: 1, "2026-01-02": 3 })];
    const lines = messageLines([found(), found({ stream: "geo" })], bounds, more);
    const counts = lines
      .filter((line) => line.undelivered > 0)
      .map((line) => [line.stream, line.day, line.undelivered]);
    expect(counts).toEqual([
      ["browser", DAY, 1],
      ["geo", DAY, 4],
      ["browser", "2026-01-02", 3],
    ]);
  });

  test("a day that only the topic has is a line, whatever the source names", () => {
    const lines = browserLines([], undefined, [undelivered({ "2026-01-02": 3 })]);
    expect(lines).toMatchObject([{ day: "2026-01-02", undelivered: 3, generated: null }]);
  });

  test("streams without days add up each for itself", () => {
    const geo = { stream: "geo", raw: 3, typed: 2, rejected: 0, pending: 1 } as const;
    const lines = messageLines([found({ day: "" }), found(geo)], undefined, []);
    expect(lines.map((line) => [line.stream, line.raw, line.typed, line.pending])).toEqual([
      ["browser", 10, 9, 0],
      ["location", 0, 0, 0],
      ["device", 0, 0, 0],
      ["geo", 3, 2, 1],
    ]);
    expect(lines.map(({ inFlight }) => inFlight)).toEqual([0, 0, 0, 0]);
  });
});

test("the highest stored offset of a partition is that of all days", () => {
  const stored = storedOffsets([
    found({ stored: { 0: 4, 1: 9 } }),
    found({ day: "2026-01-02", stored: { 0: 7 } }),
    found({ stream: "geo", stored: {} }),
    found({ stream: "device", stored: { 0: 0 } }),
  ]);
  expect(stored.get("device")).toEqual(new Map([[0, 0]]));
  expect(stored.get("browser")).toEqual(
    new Map([
      [0, 7],
      [1, 9],
    ]),
  );
  expect(stored.get("geo")).toEqual(new Map());
});

test("every stream is asked for with its own tables", async () => {
  const { db, asked } = fakeDatabase(() => [found()]);
  expect(await findMessages(db, 7)).toHaveLength(STREAMS.length);
  expect(asked.map(({ params }) => params)).toEqual(
    STREAMS.map((stream) => ({
      ...{ stream, epoch: 7, raw: `${stream}_raw` },
      ...{ typed: `${stream}_event`, errors: `${stream}_event_errors` },
    })),
  );
});
