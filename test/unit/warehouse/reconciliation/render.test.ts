import { expect, test } from "vitest";
import type {
  MessageLine,
  Reconciliation,
} from "../../../../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation } from "../../../../warehouse/reconciliation/render.ts";

const line = (stream: MessageLine["stream"], unaccounted: number): MessageLine => ({
  ...{ epoch: 1, stream, day: "2026-01-01", generated: 11, inFlight: 0, undelivered: 0 },
  ...{ raw: 12, typed: 13, rejected: 14, pending: 15, unaccounted },
});

const counts: Reconciliation = {
  ...{
    epoch: 1,
    origin: "in the file",
    checksum: null,
    digests: [],
    notes: [],
    database: null,
    lost: [],
    onlyCopies: 0,
    defects: [],
    waiting: [],
  },
  ...{ inFlight: 0, unaccounted: 0, verdict: "accounted" },
  messages: [line("browser", 0), line("geo", 0)],
  layers: [{ layer: "dds", identity: "a = b", expected: 3, found: 4, isCompared: true }],
};

/** Cells of the tables, row by row; other lines unchanged. */
const read = (text: string): (string | string[])[] =>
  text
    .split("\n")
    .filter((row) => !/[┌├└]/.test(row))
    .map((row) =>
      row.startsWith("│")
        ? row
            .split("│")
            .slice(1, -1)
            .map((cell) => cell.trim())
        : row,
    );

const HEAD = [
  ...["stream", "in the file", "in stg", "typed"],
  ...["rejected", "waiting", "unaccounted", "verdict"],
];

test("a reconciliation without differences is two tables and one sentence", () => {
  expect(read(renderReconciliation(counts))).toEqual([
    HEAD,
    ["browser", "11", "12", "13", "14", "0", "0", "accounted"],
    ["geo", "11", "12", "13", "14", "0", "0", "accounted"],
    ["must agree", "expected", "found"],
    ["a = b", "3", "4"],
    "Every message is accounted for: 0 unaccounted.",
  ]);
});

test("a reconciliation with differences lists scores, waiting messages, and only the days with losses", () => {
  const waiting = { layer: "ods", stream: "geo", count: 2, oldestSeconds: null } as const;
  const text = renderReconciliation({
    ...counts,
    messages: [line("browser", 5), line("geo", 0)],
    defects: [{ kind: "late", injected: 1, caught: 2, pending: 3, missed: 4, falseAlarms: 5 }],
    waiting: [{ ...waiting, step: "load_ods", hint: "run `make transform`" }],
    unaccounted: 5,
    verdict: "unaccounted",
  });
  expect(read(text)).toEqual([
    HEAD,
    ["browser", "11", "12", "13", "14", "0", "5", "unaccounted"],
    ["geo", "11", "12", "13", "14", "2", "0", "incomplete"],
    ["must agree", "expected", "found"],
    ["a = b", "3", "4"],
    ["injected defect", "injected", "caught", "pending", "missed", "false alarms"],
    ["late", "1", "2", "3", "4", "5"],
    "Defects are a score: a missed one does not change the verdict.",
    "2 geo messages are not in ods yet: load_ods is behind. hint: run `make transform`",
    "5 unaccounted.",
    "  browser 2026-01-01: 5",
    "2 messages in stg that no known source sent. hint: find the other program that writes to the topics; run `make data REPLACE=1`, which empties the layers first",
    "60 messages lost or duplicated between stg and ods. hint: run `./pipeline ddl --rebuild ods`, then `make transform`, which reload the messages from stg",
    'dds differs in "a = b". hint: run `make transform`, which recomputes dds and dm from ods',
  ]);
});
