import { describe, expect, test } from "vitest";
import type { UserError } from "../../../../contract/errors.ts";
import { countOnlyCopies, findingsOf } from "../../../../warehouse/reconciliation/findings.ts";
import type {
  LayerLine,
  MessageLine,
  Reconciliation,
} from "../../../../warehouse/reconciliation/reconciliation.ts";
import {
  requireEqual,
  requireNothingLost,
} from "../../../../warehouse/reconciliation/requirements.ts";
import { fakeDatabase } from "./fake-database.ts";

/** Five messages sent, stored and typed; each test adds an unaccounted difference. */
const message = (line: Partial<MessageLine>): MessageLine => ({
  ...{ epoch: 1, stream: "browser", day: "2026-01-01", generated: 5, inFlight: 0, undelivered: 0 },
  ...{ raw: 5, typed: 4, rejected: 1, pending: 0, unaccounted: 0 },
  ...line,
});

const reconciliation = (
  messages: MessageLine[],
  onlyCopies = 0,
  layers: readonly LayerLine[] = [],
): Reconciliation => ({
  ...{
    epoch: 1,
    origin: "generated" as const,
    checksum: null,
    messages,
    waiting: [],
    layers,
    defects: [],
    lost: [],
  },
  ...{
    onlyCopies,
    digests: [],
    notes: [],
    database: null,
    inFlight: 0,
    unaccounted: 1,
    verdict: "unaccounted",
  },
});

const differs = (layer: LayerLine["layer"]): LayerLine => ({
  ...{ layer, identity: "a = b", expected: 3, found: 4, isCompared: true },
});

const REBUILD = /^run `pipeline ddl --rebuild ods`, then `make transform`/;
const KEEP = /do not rebuild ods, the only copy of 7 messages/;

test.each(["collected", "sent"] as const)("of %s hits the layers have the only copy", (origin) => {
  const [finding] = findingsOf({
    ...reconciliation([message({ raw: 4, unaccounted: 1 })]),
    origin,
  });
  expect(finding?.hint).toMatch(/restore a snapshot/);
  expect(finding?.hint).not.toContain("--replace");
});

describe("every finding has a hint", () => {
  test.each<[string, Reconciliation, RegExp, RegExp]>([
    [
      "a message of stg that ods lacks",
      reconciliation([message({ typed: 3, unaccounted: 1 })]),
      /^1 message lost or duplicated between stg and ods/,
      REBUILD,
    ],
    [
      "one lost and one duplicated",
      reconciliation([message({ unaccounted: 2 })]),
      /^2 messages lost or duplicated/,
      REBUILD,
    ],
    [
      "the same while stg has let others go",
      reconciliation([message({ typed: 3, unaccounted: 1 })], 7),
      /^1 message lost or duplicated/,
      KEEP,
    ],
    [
      "messages that stg has lost and ods has",
      reconciliation([message({ raw: 3, unaccounted: 4 })], 7),
      /^2 messages sent and not in stg/,
      KEEP,
    ],
    [
      "messages that are nowhere",
      reconciliation([message({ raw: 3, typed: 2, unaccounted: 2 })]),
      /^2 messages sent and not in stg/,
      /^load the data again/,
    ],
    [
      "messages that nobody sent",
      reconciliation([message({ raw: 6, typed: 5, unaccounted: 1 })]),
      /^1 message in stg that no known source sent/,
      /other program that writes/,
    ],
    [
      "an epoch that is not registered",
      reconciliation([], 0, [differs("stg")]),
      /^stg differs/,
      /^run `make topics`/,
    ],
    ["a sum of ods", reconciliation([], 7, [differs("ods")]), /^ods differs in "a = b"/, KEEP],
    [
      "a sum of dds",
      reconciliation([], 7, [differs("dds")]),
      /^dds differs/,
      /recomputes dds and dm/,
    ],
    ["a sum of dm", reconciliation([], 0, [differs("dm")]), /^dm differs/, /recomputes dds and dm/],
  ])("%s", (_, found, what, next) => {
    const findings = findingsOf(found);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.what).toMatch(what);
    expect(findings[0]?.hint).toMatch(next);
    expect(errorOf(() => requireNothingLost(found)).hint).toBe(findings[0]?.hint);
  });

  test("in a workspace no finding mentions topics", () => {
    const found = reconciliation([message({ raw: 6, typed: 5, unaccounted: 1 })]);
    const [finding] = findingsOf({ ...found, database: "folder" });
    expect(finding?.hint).toBe(
      "run `pipeline data --replace --database folder`, which empties the layers first",
    );
  });

  test("there are none if all is accounted for, or waits", () => {
    const waiting = [
      message({ typed: 1, pending: 3 }),
      message({ raw: 3, typed: 2, undelivered: 2 }),
    ];
    expect(
      findingsOf(reconciliation([message({}), message({ generated: null }), ...waiting])),
    ).toEqual([]);
  });

  test("several findings are all named", () => {
    const messages = [
      message({ raw: 4, typed: 3, unaccounted: 1 }),
      message({ typed: 3, unaccounted: 1 }),
    ];
    expect(findingsOf(reconciliation(messages, 0, [differs("dm")]))).toHaveLength(3);
  });
});

test("the deep check recommends no rebuild that drops messages", () => {
  const line = {
    layer: "ods",
    table: "geo_event",
    stream: "geo",
    day: "",
    expected: 1,
    found: 2,
  } as const;
  const result = { lines: [{ ...line, isEqual: false }], rows: [], unchecked: [], views: [] };
  const nextOf = (layer: "ods" | "dds", onlyCopies: number) =>
    errorOf(() => requireEqual({ ...result, layers: [layer], onlyCopies }, { database: null }))
      .hint;
  expect(nextOf("ods", 0)).toMatch(REBUILD);
  expect(nextOf("ods", 7)).toMatch(KEEP);
  expect(nextOf("dds", 7)).toMatch(/^run `pipeline ddl --rebuild dds/);
});

test("a different view fails the deep check, after any different layer", () => {
  const view = { object: "dm.v_funnel", what: "missing", engine: "View" };
  const result = { lines: [], rows: [], unchecked: [], views: [view], onlyCopies: 0 };
  const differs = errorOf(() => requireEqual({ ...result, layers: [] }, { database: null }));
  expect(differs).toMatchObject({
    message: "The view dm.v_funnel differs from sql/ddl: missing.",
    hint: "run `make ddl`",
  });
  const layer = errorOf(() => requireEqual({ ...result, layers: ["dm"] }, { database: null }));
  expect(layer.message).toContain("dm differs from what the layer below gives in");
});

test("in a workspace no hint names a make target of a stack", () => {
  const wrong = [
    reconciliation([message({ typed: 3, unaccounted: 1 })]),
    reconciliation([message({ raw: 4, typed: 3, unaccounted: 1 })]),
    reconciliation([message({ generated: 4, unaccounted: 1 })]),
    ...(["stg", "ods", "dds", "dm"] as const).map((layer) =>
      reconciliation([], 0, [differs(layer)]),
    ),
  ];
  for (const one of wrong) {
    const [finding] = findingsOf({ ...one, database: "folder" });
    expect(finding?.hint).toContain("--database folder");
    expect(finding?.hint).not.toContain("make ");
  }
});

function errorOf(work: () => void): UserError {
  try {
    work();
  } catch (error) {
    return error as UserError;
  }
  throw new Error("nothing was thrown");
}

test("an equal sum is no finding", () => {
  const agrees = { ...differs("dds"), found: 3 };
  expect(
    findingsOf(reconciliation([], 0, [agrees, differs("dm")])).map(({ what }) => what),
  ).toEqual(['dm differs in "a = b"']);
});

test("messages that are still in the topic count as sent", () => {
  const surplus = message({ raw: 5, undelivered: 2, unaccounted: 2 });
  expect(findingsOf(reconciliation([surplus])).map(({ what }) => what)).toEqual([
    "2 messages in stg that no known source sent",
  ]);
});

describe("equal numbers of different rows are two findings", () => {
  test.each([
    ["where no source is known", message({ generated: null, unaccounted: 2 })],
    ["while others are in the topic", message({ generated: 7, undelivered: 2, unaccounted: 2 })],
  ])("%s", (_, line) => {
    expect(findingsOf(reconciliation([line])).map(({ what }) => what)).toEqual([
      "2 messages lost or duplicated between stg and ods",
    ]);
  });
});

test("only copies are counted over all streams", async () => {
  const copies = [
    { stream: "location", count: 7 },
    { stream: "geo", count: 2 },
  ];
  expect(await countOnlyCopies(fakeDatabase(() => copies).db)).toBe(9);
});
