import { describe, expect, test } from "vitest";
import { DAY, HOUR } from "../../../contract/time.ts";
import { parseConfig } from "../../../generator/config.ts";
import { durationText, percent } from "../../../report/format.ts";
import { renderPage } from "../../../report/page.ts";
import { prettyJson } from "../../../report/sections/click.ts";
import { headline } from "../../../report/sections/headline.ts";
import { layerBars, layersSection } from "../../../report/sections/layers.ts";
import { nextSection } from "../../../report/sections/next.ts";
import { qualitySection } from "../../../report/sections/quality.ts";
import { retentionCard } from "../../../report/sections/retention.ts";
import { truthSection } from "../../../report/sections/truth.ts";
import { topBars, visitorsSection } from "../../../report/sections/visitors.ts";
import { waveSection } from "../../../report/sections/wave.ts";
import type { Place } from "../../../warehouse/database/command.ts";
import type { Analytics } from "../../../warehouse/history/analytics.ts";
import { constantModel } from "../../../warehouse/history/model.ts";
import type { Reconciliation } from "../../../warehouse/reconciliation/reconciliation.ts";
import { faultsOf } from "../../support/markup.ts";

const reconciliation: Reconciliation = {
  epoch: 1,
  origin: "generated",
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
  database: null,
  digests: ["dm.session", "ods.geo_event", "dds.event", "ods.browser_event", "dm.other"].map(
    (name, i) => ({ name, rows: 100 + i, digest: "d" }),
  ),
  inFlight: 0,
  unaccounted: 0,
  verdict: "accounted",
};

test("tables are in the order of the data flow, unknown ones last", () => {
  expect(layerBars(reconciliation).map((bar) => bar.label)).toEqual([
    "stg.raw: browser",
    "stg.raw: location",
    "stg.raw: device",
    "stg.raw: geo",
    "ods.browser_event",
    "ods.geo_event",
    "only in ods.*_errors",
    "dds.event",
    "dm.session",
    "dm.other",
  ]);
});

describe("differences are red and named", () => {
  const broken: Reconciliation = {
    ...reconciliation,
    unaccounted: 3,
    verdict: "unaccounted",
    layers: [{ layer: "dds", identity: "a = b", expected: 5, found: 2, isCompared: true }],
    lost: [{ stream: "geo", epoch: 7, partition: 2, offset: 41, key: "<script>" }],
  };
  const { text } = layersSection(broken, []).body;

  test("with the lost messages and their position", () => {
    expect(text).toContain('<p class="note bad">3 unaccounted for.</p>');
    expect(text).toContain("<td>41</td>");
    expect(text).toContain("&lt;script&gt;");
  });
  test("with the different sums", () => {
    expect(text).toContain('<span class="bad">differ by 3</span>');
  });
  test("and not otherwise", () => {
    expect(layersSection(reconciliation, []).body.text).not.toContain('class="note bad"');
  });
});

test("counts missed defects and false alarms", () => {
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

test("what dm.dq_summary counts beside markers is no marker", () => {
  const others = ["rows", "typed", "rejected", "duplicates", "superseded", "orphan_events"];
  const lines = others.map((metric) => ({ layer: "dds", entity: "event", metric, value: 3 }));
  expect(qualitySection([], lines).body.text).toContain("No record carries a marker.");
});

test("shows a marker of any name, with escaped numbers", () => {
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

test("many shares: the largest are separate, the others a grey sum without the unknown ones", () => {
  const shares = Array.from({ length: 20 }, (_, i) => ({
    label: i === 15 ? "unknown" : `c${i}`,
    sessions: 20 - i,
    purchase_sessions: 0,
  }));
  const bars = topBars(shares, 210);
  expect(bars).toHaveLength(12);
  expect(bars.slice(-2)).toMatchObject([
    { label: "9 others", value: 50, isRest: true },
    { label: "unknown", value: 5, isRest: true },
  ]);
  expect(bars.filter((bar) => bar.isRest)).toHaveLength(2);
  const fitting = topBars(shares.slice(0, 12), 210).map(({ label }) => label);
  expect(fitting).toEqual(shares.slice(0, 12).map(({ label }) => label));
});

test("indents JSON payloads, and leaves others unchanged", () => {
  expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(prettyJson('{"a":')).toBe('{"a":');
});

test("commands name the place of the data", () => {
  const textAt = (place: Place) => nextSection("c", place, undefined).body.text;
  expect(textAt({ directory: "dir" })).toContain("follow --click c --database dir");
  expect(textAt({})).toContain("<code>make prove</code>");
});

test("the checksum of the manifest is at the end", () => {
  const { body } = nextSection("c", {}, "abc");
  expect(body.text).toMatch(/Manifest checksum <code class="long">abc<\/code><\/p>$/);
});

test("a dimension whose parts are all unknown has no chart", () => {
  const share = (label: string) => [{ label, sessions: 3, purchase_sessions: 1 }];
  const analytics = { funnel: [], totals: { sessions: 3 }, retention: [], cohorts: [] };
  const { text } = visitorsSection(analytics as unknown as Analytics, {
    ...{ channels: share("direct"), devices: share("unknown") },
    ...{ browsers: share("Firefox"), countries: share("unknown") },
  }).body;
  expect(text).toContain("Sessions by browser");
  expect(text).not.toContain("Sessions by device");
  expect(text).not.toContain("Sessions by country");
});

test("the content policy forbids every script and external resource", () => {
  const page = renderPage({
    title: "<t>",
    header: nextSection("c", {}, undefined).body,
    sections: [],
  });
  expect(faultsOf(page)).toEqual([]);
  expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
  expect(page).toContain("<title>&lt;t&gt;</title>");
  expect(page).toContain("prefers-color-scheme: dark");
  expect(page).toContain("@media print");
});

test.each([
  [DAY, "1 day"],
  [7 * DAY, "7 days"],
  [36 * HOUR, "36 hours"],
  [HOUR, "1 hour"],
  [30 * DAY + 13 * HOUR, "31 days"],
])("%d µs are %s", (time, text) => {
  expect(durationText(time)).toBe(text);
});

test("shares of zero are a dash", () => {
  expect(percent(0 / 0)).toBe("–");
  expect(percent(0.1234)).toBe("12.3 %");
});

test.each([
  [{ purchases: 0, revenue: 0, refunds: 0, net_revenue: 0 }, undefined],
  [{ purchases: 2, revenue: 50, refunds: 0, net_revenue: 50 }, "25.00 per purchase"],
  [
    { purchases: 2, revenue: 50, refunds: 20, net_revenue: 30 },
    "25.00 per purchase, 30 without refunds",
  ],
  [{ purchases: 0, revenue: 0, refunds: 20, net_revenue: -20 }, "-20 without refunds"],
])("the headline of %j says what is left of the revenue", (money, note) => {
  const counts = { page_events: 1, sessions: 1, visitors: 1, registered_sessions: 0 };
  const analytics = {
    interval: { from: 0, to: HOUR },
    totals: { ...counts, purchase_sessions: 0, skewed_events: 0, currencies: [], ...money },
  } as unknown as Analytics;
  const subject = { sources: [], model: undefined, timezone: "UTC" };
  const shown = /revenue<\/span><small>([^<]*)/.exec(
    headline(subject, analytics, reconciliation).text,
  );
  expect(shown?.[1]).toBe(note);
});

test.each([
  [["EUR"], "revenue, EUR"],
  [["EUR", "USD"], "revenue: EUR + USD, added as they are"],
])("the headline names the currencies %j", (currencies, name) => {
  const analytics = {
    interval: { from: 0, to: HOUR },
    totals: { page_events: 1, sessions: 1, visitors: 1, revenue: 5, currencies },
  } as unknown as Analytics;
  const subject = { sources: [], model: undefined, timezone: "UTC" };
  expect(headline(subject, analytics, reconciliation).text).toContain(`<span>${name}</span>`);
});

test("the wave section names the range of the weights of dates, if there are any", () => {
  const day = { page_events: 1, sessions: 1, visitors: 1, purchases: 0 };
  const analytics = {
    wave: [],
    profile: [],
    // A holiday on a Thursday, and a Saturday.
    days: ["2026-01-01", "2026-01-03"].map((date) => ({ ...day, day: date })),
    totals: { skewed_events: 0 },
  } as unknown as Analytics;
  const textOf = (behaviour: string) =>
    waveSection(analytics, constantModel(parseConfig({ GEN_BEHAVIOUR: behaviour }))).body.text;
  expect(textOf("shop")).toContain("a weight of the date (UTC), here × 0.54 to × 1.10");
  expect(textOf("plain")).not.toContain("weight");
  // Imported data have no model.
  expect(waveSection(analytics, undefined).body.text).not.toContain("model");
});

test("the section of the truth draws shares of segments, and lists differences in the table", () => {
  const row = { low: 0.1, high: 0.3, estimate: 0.2, sessions: 100 };
  const effect = "first sessions with a purchase, by variant";
  const { text } = truthSection([
    { ...row, effect, segment: "a", truth: 0.15, verdict: "inside" },
    { ...row, effect, segment: "b − a", truth: -0.4, verdict: "outside" },
  ]).body;
  expect(text).toContain("2 expected values");
  expect(text).toContain("1 of the 95 % intervals");
  expect(text).toContain('aria-label="Intervals of a 10.0 % to 30.0 %, truth 15.0 %."');
  expect(text).toContain('<td>b − a</td><td class="number">-40.0 %</td>');
});

test.each(["first sessions: revenue of a visitor", "all sessions: value of an order, by device"])(
  "%s is money, not a share",
  (effect) => {
    const row = { segment: "all", truth: 44.849, estimate: 45, low: 44, high: 46, sessions: 9 };
    const { text } = truthSection([{ ...row, effect, verdict: "inside" }]).body;
    expect(text).toContain(">44.85</td>");
    expect(text).not.toContain("4484");
  },
);

describe("the card of retention", () => {
  const shown = (retention: Analytics["retention"]) => {
    const card = retentionCard({ retention, timezone: "Asia/Tokyo" } as Analytics);
    return card === false ? card : card.text;
  };
  const cellsOf = (text: string | false) =>
    [...String(text).matchAll(/<tr>(.*?)<\/tr>/g)]
      .slice(1)
      .map(([, row = ""]) => [...row.matchAll(/>([^<]*)<\/td>/g)].map(([, cell]) => cell));

  test("shows sizes and shares by cohort and of all, and nothing for a day that is incomplete", () => {
    const text = shown([
      { cohort: "2026-01-01", visitors: [100, 20, 0] },
      { cohort: "2026-01-02", visitors: [300, 20, null] },
    ]);
    expect(text).toContain("10.0 % of visitors come back on the next day");
    expect(text).toContain("first seen (Asia/Tokyo)");
    expect(cellsOf(text)).toEqual([
      ["Thu 1 Jan 2026", "100", "20.0 %", "0.0 %"],
      ["Fri 2 Jan 2026", "300", "6.7 %", ""],
      ["all", "400", "10.0 %", "0.0 %"],
    ]);
  });

  test("shows the latest 31 cohorts, and sums all", () => {
    const days = Array.from({ length: 33 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)));
    const cells = cellsOf(
      shown(days.map((day) => ({ cohort: day.toISOString().slice(0, 10), visitors: [2, 1] }))),
    );
    expect(cells).toHaveLength(32);
    expect(cells[0]?.[0]).toBe("Sat 3 Jan 2026");
    expect(cells.at(-1)).toEqual(["all", "66", "50.0 %"]);
  });

  test("says if no visitor can have come back, and is left out without a complete day", () => {
    const text = shown([{ cohort: "2026-01-01", visitors: [100] }]);
    expect(text).toContain("No visitor can have come back yet");
    expect(shown([])).toBe(false);
  });
});
