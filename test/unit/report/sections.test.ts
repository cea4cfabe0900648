import { describe, expect, test } from "vitest";
import { DAY, HOUR } from "../../../contract/time.ts";
import { durationText, percent } from "../../../report/format.ts";
import { renderPage } from "../../../report/page.ts";
import { prettyJson } from "../../../report/sections/click.ts";
import { layerBars, layersSection } from "../../../report/sections/layers.ts";
import { nextSection } from "../../../report/sections/next.ts";
import { qualitySection } from "../../../report/sections/quality.ts";
import { topBars } from "../../../report/sections/visitors.ts";
import type { Ledger } from "../../../warehouse/ledger/ledger.ts";
import { faultsOf } from "../../support/markup.ts";

const ledger: Ledger = {
  epoch: 1,
  checksum: "c",
  messages: (["browser", "location", "device", "geo"] as const).map((stream, i) => ({
    epoch: 1,
    stream,
    day: "2026-01-01",
    generated: 10 + i,
    inFlight: 0,
    undelivered: 0,
    raw: 10 + i,
    typed: 9 + i,
    rejected: 1,
    pending: 0,
    unaccounted: 0,
  })),
  waiting: [],
  layers: [{ layer: "dds", identity: "a = b", expected: 5, found: 5, isCompared: true }],
  defects: [],
  lost: [],
  onlyCopies: 0,
  notes: [],
  directory: null,
  digests: ["dm.session", "ods.geo_event", "dds.event", "ods.browser_event", "dm.other"].map(
    (name, i) => ({ name, rows: 100 + i, digest: "d" }),
  ),
  inFlight: 0,
  unaccounted: 0,
  verdict: "accounted",
};

test("tables stand in the order in which data pass them, unknown ones last", () => {
  expect(layerBars(ledger).map((bar) => bar.label)).toEqual([
    "stg.browser_raw",
    "stg.location_raw",
    "stg.device_raw",
    "stg.geo_raw",
    "ods.browser_event",
    "ods.geo_event",
    "only in ods.*_errors",
    "dds.event",
    "dm.session",
    "dm.other",
  ]);
});

describe("what does not add up is red and named", () => {
  const broken: Ledger = {
    ...ledger,
    unaccounted: 3,
    verdict: "unaccounted",
    layers: [{ layer: "dds", identity: "a = b", expected: 5, found: 2, isCompared: true }],
    lost: [{ stream: "geo", epoch: 7, partition: 2, offset: 41, key: "<script>" }],
  };
  const { text } = layersSection(broken, []).body;

  test("with the lost messages and their place", () => {
    expect(text).toContain('<p class="note bad">3 unaccounted for.</p>');
    expect(text).toContain("<td>41</td>");
    expect(text).toContain("&lt;script&gt;");
  });
  test("with the sums that differ", () => {
    expect(text).toContain('<span class="bad">differ by 3</span>');
  });
  test("and not otherwise", () => {
    expect(layersSection(ledger, []).body.text).not.toContain('class="note bad"');
  });
});

test("missed defects and false alarms are counted", () => {
  const line = {
    kind: "late",
    injected: 5,
    caught: 3,
    pending: 0,
    missed: 2,
    falseAlarms: 1,
  } as const;
  const { text } = qualitySection([line], []).body;
  expect(text).toContain('<strong class="bad">2 missed, 1 false alarms</strong>');
});

test("a marker of any name is shown, its figures escaped", () => {
  const metric = "<script>alert(1)</script>";
  const lines = [
    { layer: "ods", entity: metric, metric, value: 3 },
    { layer: "ods", entity: "browser_event", metric: "typed", value: 77_777 },
    { layer: "ods", entity: "browser_event", metric: "toString", value: 1 },
  ];
  const { text } = qualitySection([], lines).body;
  expect(faultsOf(text)).toEqual([]);
  expect(text).toContain("&lt;script&gt;alert(1)");
  expect(text).not.toContain("77,777");
  expect(text).not.toContain("native code");
});

test("many shares: the largest stand alone, the rest is one quiet bar with their sum", () => {
  const shares = Array.from({ length: 20 }, (_, i) => ({
    label: i === 2 ? "unknown" : `c${i}`,
    visits: 20 - i,
    purchases: 0,
  }));
  const bars = topBars(shares, 210);
  expect(bars).toHaveLength(12);
  expect(bars.at(-1)).toMatchObject({ label: "9 others", value: 45, isRest: true });
  expect(bars.filter((bar) => bar.isRest).map((bar) => bar.label)).toEqual(["unknown", "9 others"]);
  expect(topBars(shares.slice(0, 12), 210)).toHaveLength(12);
});

test("payloads are indented where they are JSON, and untouched where not", () => {
  expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(prettyJson('{"a":')).toBe('{"a":');
});

test("commands name the database where the default does not reach the data", () => {
  expect(nextSection("c", "dir").body.text).toContain("follow --database dir --click c");
  expect(nextSection("c", undefined).body.text).toContain("follow --click c");
});

test("a page forbids itself every script and every load", () => {
  const page = renderPage({ title: "<t>", header: nextSection("c", "d").body, sections: [] });
  expect(faultsOf(page)).toEqual([]);
  expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
  expect(page).toContain("<title>&lt;t&gt;</title>");
  expect(page).toContain("prefers-color-scheme: dark");
  expect(page).toContain("@media print");
});

test.each([
  [DAY, "1 model day"],
  [7 * DAY, "7 model days"],
  [36 * HOUR, "36 model hours"],
  [HOUR, "1 model hour"],
])("%d µs are %s", (time, text) => {
  expect(durationText(time)).toBe(text);
});

test("shares of nothing are a dash", () => {
  expect(percent(0 / 0)).toBe("–");
  expect(percent(0.1234)).toBe("12.3 %");
});
