import { describe, expect, test } from "vitest";
import { emptyStatement, type Statement } from "../../../../contract/statement.ts";
import { STREAMS } from "../../../../contract/streams.ts";
import type { UndeliveredMessages } from "../../../../warehouse/reconciliation/feed.ts";
import {
  type Bounds,
  type FoundLine,
  findMessages,
  messageLines,
  storedOffsets,
} from "../../../../warehouse/reconciliation/messages.ts";
import { fakeDatabase } from "./fake-database.ts";

const DAY = "2026-01-01";

const EPOCH = 4;

const found = (line: Partial<FoundLine> = {}): FoundLine => ({
  epoch: EPOCH,
  ...{ stream: "browser", day: DAY, raw: 10, typed: 9, rejected: 1, pending: 0 },
  ...{ pending_seconds: null, same_rows: true, stored: { 0: 9 } },
  ...line,
});

/** A source that sent this many browser messages on one day. */
const sent = (browser: number, day = DAY): Statement => {
  const counts = { ...emptyStatement().counts, browser };
  return { counts, days: { [day]: counts } };
};

const undelivered = (days: Readonly<Record<string, number>>): UndeliveredMessages => ({
  ...{ epoch: EPOCH, stream: "browser", days: new Map(Object.entries(days)), oldestSeconds: 5 },
  ...{ step: "stg.queue", hint: "run `make doctor`" },
});

const linesOf = (
  lines: readonly FoundLine[],
  bounds: Bounds | undefined,
  more: readonly UndeliveredMessages[] = [],
) => messageLines(lines, new Map(bounds ? [[EPOCH, bounds]] : []), more);

const browserLines = (...args: Parameters<typeof linesOf>) =>
  linesOf(...args).filter(({ stream }) => stream === "browser");

test("without a source, no comparison with the sent messages", () => {
  expect(browserLines([found()], undefined)).toEqual([
    {
      ...{
        epoch: EPOCH,
        stream: "browser",
        day: DAY,
        generated: null,
        inFlight: 0,
        undelivered: 0,
      },
      ...{ raw: 10, typed: 9, rejected: 1, pending: 0, unaccounted: 0 },
    },
  ]);
});

describe("the numbers sent before and after the count bound the expected number", () => {
  test.each([
    ["as many as sent", 10, 10, { generated: 10, inFlight: 0, unaccounted: 0 }],
    ["some were sent meanwhile", 8, 12, { generated: 10, inFlight: 2, unaccounted: 0 }],
    ["fewer than sent before", 12, 15, { generated: 12, inFlight: 3, unaccounted: 2 }],
    ["more than sent after", 5, 7, { generated: 7, inFlight: 0, unaccounted: 3 }],
  ])("%s", (_, least, most, expected) => {
    const bounds = { least: sent(least), most: sent(most) };
    expect(browserLines([found()], bounds)).toMatchObject([expected]);
  });

  test("if a source may have sent more since, there is no surplus and nothing in flight", () => {
    const lines = (before: number) => browserLines([found()], { least: sent(before), most: null });
    expect(lines(4)).toMatchObject([{ generated: 10, inFlight: 0, unaccounted: 0 }]);
    expect(lines(12)).toMatchObject([{ generated: 12, inFlight: 0, unaccounted: 2 }]);
    const silent = linesOf([], { least: sent(3), most: null }, []);
    expect(silent.find(({ stream }) => stream === "browser")).toMatchObject({ unaccounted: 3 });
  });

  test("messages in the broker but not in stg are neither lost nor in flight", () => {
    const bounds = { least: sent(14), most: sent(16) };
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

  test("losses on both sides of stg add up", () => {
    const bounds = { least: sent(12), most: sent(12) };
    expect(browserLines([found({ typed: 8 })], bounds)).toMatchObject([{ unaccounted: 3 }]);
  });
});

describe("days", () => {
  test("a day without any message is missing for the stream that sent on it", () => {
    const bounds = { least: sent(10), most: sent(10) };
    const lines = linesOf([], bounds, []);
    expect(lines.map(({ stream, unaccounted }) => [stream, unaccounted])).toEqual(
      STREAMS.map((stream) => [stream, stream === "browser" ? 10 : 0]),
    );
  });

  test("a day that only the topic has gets its own line", () => {
    const bounds = { least: sent(3, "2026-01-02"), most: sent(3, "2026-01-02") };
    const lines = browserLines([], bounds, [undelivered({ "2026-01-02": 3 })]);
    expect(lines).toMatchObject([
      { day: "2026-01-02", undelivered: 3, generated: 3, unaccounted: 0 },
    ]);
  });

  test("messages on a day that no source names are a surplus", () => {
    const bounds = { least: sent(10), most: sent(10) };
    const lines = browserLines(
      [found(), found({ day: "2026-01-05", raw: 2, typed: 2, rejected: 0 })],
      bounds,
    );
    expect(lines.map(({ unaccounted }) => unaccounted)).toEqual([0, 2]);
  });

  test("one message of unknown day makes one line per stream of all days", () => {
    const bounds = { least: sent(13), most: sent(13) };
    const lines = [found(), found({ day: "", raw: 2, typed: 1, rejected: 0, pending: 1 })];
    expect(browserLines(lines, bounds, [undelivered({ [DAY]: 1 })])).toEqual([
      {
        ...{ epoch: EPOCH, stream: "browser", day: "", generated: 13, inFlight: 0, undelivered: 1 },
        ...{ raw: 12, typed: 10, rejected: 1, pending: 1, unaccounted: 0 },
      },
    ]);
    expect(linesOf(lines, undefined, [])).toHaveLength(STREAMS.length);
  });

  test("an undelivered message of unknown day makes one line as well", () => {
    const bounds = { least: sent(11), most: sent(11) };
    const lines = browserLines([found()], bounds, [undelivered({ "": 1 })]);
    expect(lines).toMatchObject([{ day: "", generated: 11, undelivered: 1, unaccounted: 0 }]);
  });

  test("different rows on one day count as different in the sum of all days", () => {
    const lines = [found({ day: "" }), found({ same_rows: false })];
    expect(browserLines(lines, undefined)).toMatchObject([{ day: "", unaccounted: 2 }]);
  });
});

describe("streams and days are counted separately", () => {
  const bounds = { least: sent(20), most: sent(20) };
  const other = { ...undelivered({ [DAY]: 4 }), stream: "geo" as const };

  test("an undelivered message counts for its own stream and day", () => {
    const more = [other, undelivered({ [DAY]: 1, "2026-01-02": 3 })];
    const lines = linesOf([found(), found({ stream: "geo" })], bounds, more);
    const counts = lines
      .filter((line) => line.undelivered > 0)
      .map((line) => [line.stream, line.day, line.undelivered]);
    expect(counts).toEqual([
      ["browser", DAY, 1],
      ["geo", DAY, 4],
      ["browser", "2026-01-02", 3],
    ]);
  });

  test("a day that only the topic has is a line, with any days of the source", () => {
    const lines = browserLines([], undefined, [undelivered({ "2026-01-02": 3 })]);
    expect(lines).toMatchObject([{ day: "2026-01-02", undelivered: 3, generated: null }]);
  });

  test("streams without days each have their own sum", () => {
    const geo = { stream: "geo", raw: 3, typed: 2, rejected: 0, pending: 1 } as const;
    const lines = linesOf([found({ day: "" }), found(geo)], undefined, []);
    expect(lines.map((line) => [line.stream, line.raw, line.typed, line.pending])).toEqual([
      ["browser", 10, 9, 0],
      ["location", 0, 0, 0],
      ["device", 0, 0, 0],
      ["geo", 3, 2, 1],
    ]);
    expect(lines.map(({ inFlight }) => inFlight)).toEqual([0, 0, 0, 0]);
  });
});

test("the highest stored offset of a partition covers all days", () => {
  const stored = storedOffsets([
    found({ stored: { 0: 4, 1: 9 } }),
    found({ day: "2026-01-02", stored: { 0: 7 } }),
    found({ stream: "geo", stored: {} }),
    found({ stream: "device", stored: { 0: 0 } }),
  ]);
  expect(stored("device", EPOCH, 0)).toBe(0);
  expect([0, 1, 2].map((partition) => stored("browser", EPOCH, partition))).toEqual([7, 9, -1]);
  expect(stored("geo", EPOCH, 0)).toBe(-1);
  expect(stored("browser", EPOCH - 1, 0)).toBe(-1);
});

test("the query of every stream has its own tables and ends", async () => {
  const { db, asked } = fakeDatabase(() => [found()]);
  const ends = new Map([["geo" as const, new Map([[1, 20n]])]]);
  expect(await findMessages(db, 7, ends)).toHaveLength(STREAMS.length);
  expect(asked.map(({ params }) => params)).toEqual(
    STREAMS.map((stream) => ({
      ...{ stream, epoch: 7, ends: stream === "geo" ? "{1:20}" : "{}", topic: `${stream}_events` },
      ...{ typed: `${stream}_event`, errors: `${stream}_event_errors` },
    })),
  );
});

describe("epochs are counted separately", () => {
  const earlier = { epoch: EPOCH - 1, raw: 3, typed: 3, rejected: 0 };

  test("each is compared with its own sources, and not without one", () => {
    const bounds = new Map([[EPOCH, { least: sent(10), most: sent(10) }]]);
    const lines = messageLines([found(), found(earlier)], bounds, []);
    const browser = lines.filter(({ stream }) => stream === "browser");
    expect(browser.map((line) => [line.epoch, line.generated, line.unaccounted])).toEqual([
      [EPOCH - 1, null, 0],
      [EPOCH, 10, 0],
    ]);
  });

  test("an epoch without any row is missing as a whole", () => {
    const bounds = new Map([[EPOCH - 1, { least: sent(5), most: null }]]);
    const lines = messageLines([found()], bounds, []);
    expect(lines.filter(({ unaccounted }) => unaccounted > 0)).toMatchObject([
      { epoch: EPOCH - 1, stream: "browser", generated: 5, raw: 0, unaccounted: 5 },
    ]);
  });

  test("an epoch whose messages have no day is missing as well", () => {
    const undated = { counts: sent(5).counts, days: {} };
    const bounds = new Map([[EPOCH - 1, { least: undated, most: undated }]]);
    const lines = messageLines([], bounds, []);
    expect(lines.map(({ day, unaccounted }) => [day, unaccounted])).toEqual([
      ["", 5],
      ["", 0],
      ["", 0],
      ["", 0],
    ]);
  });

  test("messages in the topic count for their own epoch", () => {
    const bounds = new Map([
      [EPOCH - 1, { least: sent(5), most: sent(5) }],
      [EPOCH, { least: sent(10), most: sent(10) }],
    ]);
    const late = { ...undelivered({ [DAY]: 2 }), epoch: EPOCH - 1 };
    const lines = messageLines([found(), found(earlier)], bounds, [late]);
    expect(lines.every(({ unaccounted }) => unaccounted === 0)).toBe(true);
    expect(lines.filter(({ undelivered }) => undelivered > 0)).toMatchObject([
      { epoch: EPOCH - 1, stream: "browser", undelivered: 2 },
    ]);
  });

  test("unknown days of one epoch do not affect another", () => {
    const lines = messageLines([found({ day: "" }), found(earlier)], new Map(), []);
    expect(lines.filter(({ epoch }) => epoch === EPOCH - 1)).toMatchObject([{ day: DAY }]);
  });
});
