import { describe, expect, test } from "vitest";
import {
  differenceOf,
  isBetweenLoads,
  type LayerLine,
  type MessageLine,
  type Reconciliation,
  streamVerdict,
  sumByStream,
  verdictOf,
  type WaitingLine,
  waitingOf,
} from "../../../../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation, waitingText } from "../../../../warehouse/reconciliation/render.ts";

const message = (line: Partial<MessageLine> = {}): MessageLine => ({
  ...{ epoch: 1, stream: "browser", day: "2026-01-01", generated: 5, inFlight: 1, undelivered: 2 },
  ...{ raw: 4, typed: 3, rejected: 1, pending: 6, unaccounted: 0 },
  ...line,
});

const wait = (line: Partial<WaitingLine> = {}): WaitingLine => ({
  ...{ layer: "ods", stream: "browser", count: 6, oldestSeconds: 130 },
  ...{ step: "load_ods", hint: "run `make transform`" },
  ...line,
});

const layer = (line: Partial<LayerLine> = {}): LayerLine => ({
  ...{ layer: "dds", identity: "a = b", expected: 3, found: 1, isCompared: true },
  ...line,
});

const reconciliation = (parts: Partial<Reconciliation> = {}): Reconciliation => ({
  ...{
    epoch: 1,
    origin: "generated" as const,
    checksum: null,
    messages: [message()],
    waiting: [],
    layers: [],
    defects: [],
  },
  ...{
    lost: [],
    onlyCopies: 0,
    digests: [],
    notes: [],
    database: null,
    inFlight: 0,
    unaccounted: 0,
    verdict: "accounted",
  },
  ...parts,
});

describe("the verdict", () => {
  test("is unaccounted with any unaccounted difference, even if messages wait", () => {
    expect(verdictOf(1, [wait()])).toBe("unaccounted");
  });
  test("is incomplete if messages wait, or sums could not be compared", () => {
    expect(verdictOf(0, [wait()])).toBe("incomplete");
    expect(verdictOf(0, [], [layer({ isCompared: false })])).toBe("incomplete");
  });
  test("is accounted otherwise", () => {
    expect(verdictOf(0, [], [layer()])).toBe("accounted");
  });
  test("covers only a stream's own messages and waiting messages", () => {
    const all = reconciliation({
      messages: [
        message({ unaccounted: 2 }),
        message({ stream: "geo" }),
        message({ stream: "device" }),
      ],
      waiting: [wait({ stream: "geo" }), wait({ stream: "geo", count: 3 })],
    });
    expect(streamVerdict(all, "browser")).toBe("unaccounted");
    expect(streamVerdict(all, "geo")).toBe("incomplete");
    expect(streamVerdict(all, "device")).toBe("accounted");
    expect(waitingOf(all, "geo")).toBe(9);
    expect(waitingOf(all, "browser")).toBe(0);
  });
});

describe("between two loads", () => {
  test.each([
    ["the oldest is younger", [wait(), wait({ oldestSeconds: 9 })], 131, true],
    ["the oldest is as old", [wait({ oldestSeconds: 9 }), wait()], 130, false],
    ["an age is not known", [wait(), wait({ oldestSeconds: null })], 1_000, false],
    ["one waits for a reader of Kafka", [wait({ layer: "stg", oldestSeconds: 1 })], 1_000, false],
    ["nothing waits", [], 1_000, false],
  ])("%s", (_, waiting, seconds, expected) => {
    expect(isBetweenLoads({ waiting }, seconds)).toBe(expected);
  });
});

test("a sum that is not compared is no difference", () => {
  expect(differenceOf(layer())).toBe(2);
  expect(differenceOf(layer({ expected: 1, found: 3 }))).toBe(2);
  expect(differenceOf(layer({ isCompared: false }))).toBe(0);
});

test("days add up by stream, and days without a source stay unknown", () => {
  const second = message({ day: "2026-01-02", unaccounted: 3 });
  expect(sumByStream([message(), second, message({ stream: "geo" })])).toEqual([
    {
      ...{ epoch: 1, stream: "browser", day: "", generated: 10, inFlight: 2, undelivered: 4 },
      ...{ raw: 8, typed: 6, rejected: 2, pending: 12, unaccounted: 3 },
    },
    message({ stream: "geo", day: "" }),
  ]);
  const [unknown] = sumByStream([message(), message({ generated: null })]);
  expect(unknown?.generated).toBeNull();
  const [alsoUnknown] = sumByStream([message({ generated: null }), message()]);
  expect(alsoUnknown?.generated).toBeNull();
});

describe("as text", () => {
  test("lists waiting messages with layer, count, age and reader or step", () => {
    expect(waitingText(wait())).toBe(
      "6 browser messages are not in ods yet, the oldest for 2 min 10 s: load_ods is behind",
    );
    expect(waitingText(wait({ layer: "dm", oldestSeconds: null, step: "load_dm_events" }))).toBe(
      "6 rows of dds are not in dm yet: load_dm_events is behind",
    );
  });

  test("lists an outdated step with its reason and no count", () => {
    const line = wait({ stream: null, count: 0, step: "load_dds", reason: "load 4 is not in dds" });
    expect(waitingText(line)).toBe("load 4 is not in dds, for 2 min 10 s: load_dds is behind");
    expect(waitingText({ ...line, oldestSeconds: null })).toBe(
      "load 4 is not in dds: load_dds is behind",
    );
  });

  test("reports that everything is accounted for, and what is in flight", () => {
    const text = renderReconciliation(reconciliation({ inFlight: 1200 }));
    expect(text).toContain(
      "Every message is accounted for: 0 unaccounted. 1,200 more are in flight",
    );
    expect(renderReconciliation(reconciliation())).not.toContain("in flight");
    expect(renderReconciliation(reconciliation())).not.toContain("injected defect");
  });

  test("of an incomplete reconciliation names what waits and the command", () => {
    const text = renderReconciliation(reconciliation({ waiting: [wait()], verdict: "incomplete" }));
    expect(text).toContain("load_ods is behind. hint: run `make transform`");
    expect(text).toContain("Incomplete: 0 unaccounted so far.");
    expect(text).toMatch(/browser .* 6 │ +0 │ incomplete/);
  });

  test("names losses by day and row", () => {
    const text = renderReconciliation(
      reconciliation({
        messages: [
          message({ unaccounted: 2 }),
          message({ stream: "geo", day: "", unaccounted: 1, generated: null }),
        ],
        lost: [{ stream: "geo", epoch: 7, partition: 2, offset: 41, key: "k" }],
        layers: [layer({ isCompared: false })],
        defects: [{ kind: "late", injected: 9, caught: 4, pending: 3, missed: 2, falseAlarms: 1 }],
        unaccounted: 3,
        verdict: "unaccounted",
      }),
    );
    expect(text).toContain("3 unaccounted.");
    expect(text).toContain("  browser 2026-01-01: 2");
    expect(text).toContain("  geo all days: 1");
    expect(text).toContain("no manifest");
    expect(text).toContain("  geo epoch 7 partition 2 offset 41");
    expect(text).toMatch(/a = b +│ +3 │ changing/);
    expect(text).toMatch(/late +│ +9 │ +4 │ +3 │ +2 │ +1 │/);
  });

  test("reports an interrupted load", () => {
    const reason = 'the load "demo" was interrupted after 3 messages';
    const line = wait({ layer: "stg", stream: null, count: 0, oldestSeconds: null, reason });
    expect(waitingText(line)).toBe(reason);
    const reader = wait({ layer: "stg", step: "stg.queue (not attached)" });
    expect(waitingText(reader)).toContain("6 browser messages are not in stg yet");
  });

  test("has a separate table for earlier epochs, with their number if needed", () => {
    const several = reconciliation({
      epoch: 1002,
      messages: [message({ epoch: 1001, unaccounted: 2 }), message({ epoch: 1002, raw: 9 })],
      waiting: [wait({ epoch: 1001 })],
      unaccounted: 2,
      verdict: "unaccounted",
    });
    const text = renderReconciliation(several);
    expect(text).toMatch(/other epoch +│ +stream/);
    expect(text).toMatch(/1001 +│ +browser +│ +5 │ +4 │ .* 6 │ +2 │ unaccounted/);
    expect(text).toMatch(/\n│ browser +│ +5 │ +9 │ .* 0 │ +0 │ accounted/);
    expect(text).toContain("  browser 2026-01-01 of epoch 1001: 2");
    expect(text).toContain("6 browser messages of epoch 1001 are not in ods yet");
    expect(renderReconciliation(reconciliation())).not.toContain("other epoch");
  });

  test("if a source may have sent more, its number is the minimum, and the verdict reports that", () => {
    const messages = [message({ epoch: 1, generated: 1_500, isLowerBound: true }), message()];
    expect(sumByStream(messages)).toMatchObject([{ generated: 1_505, isLowerBound: true }]);
    const text = renderReconciliation(
      reconciliation({ epoch: 2, messages: [...messages, message({ epoch: 2 })] }),
    );
    expect(text).toContain("≥ 1,505");
    expect(text).toContain("in stg is accounted for, against the sources of 1 of 2 epochs");
  });

  test("if an epoch has no source, the verdict claims no comparison with it", () => {
    const messages = [message({ epoch: 1 }), message({ epoch: 2, generated: null })];
    expect(renderReconciliation(reconciliation({ epoch: 2, messages }))).toContain(
      "Every message in stg is accounted for, against the sources of 1 of 2 epochs: 0 unaccounted.",
    );
  });
});
