import { describe, expect, it } from "vitest";
import { dashboardCharts } from "../../../superset/dashboard.ts";
import type { BiOutcome } from "../../../superset/import/init.ts";
import { remarks, requireShown } from "../../../superset/import/outcome.ts";

const outcome = (change: Partial<BiOutcome>, empty: readonly string[] = []): BiOutcome => ({
  dashboard: "http://superset/dashboard/",
  charts: dashboardCharts.map((chart) => ({
    chart,
    rows: empty.includes(chart.title) ? 0 : 1,
    seconds: 0.1,
    error: undefined,
  })),
  rows: 5,
  kept: 0,
  retired: { removed: [], used: [] },
  ...change,
});

describe("charts that show nothing", () => {
  it("are an error where the marts hold page events", () => {
    expect(() => requireShown(outcome({}, ["Visits", "Sources"]))).toThrow(
      "The marts hold 5 page events, and 2 of 25 charts show nothing: Visits, Sources.",
    );
  });

  it("are told with what they wait for, where the data may have none of it yet", () => {
    const young = outcome({}, ["Retention", "Campaigns"]);
    expect(() => requireShown(young)).not.toThrow();
    expect(remarks(young)).toEqual([
      "Empty until a visit comes from a campaign: Campaigns",
      "Empty until a second day is over: Retention",
      "Open http://superset/dashboard/",
    ]);
  });

  it("are what empty marts have", () => {
    const none = outcome(
      { rows: 0 },
      dashboardCharts.map(({ title }) => title),
    );
    expect(() => requireShown(none)).not.toThrow();
    expect(remarks(none)).toEqual([expect.stringContaining("The marts are empty")]);
  });
});

it("a chart that does not answer is an error whatever the marts hold", () => {
  const [first, ...others] = outcome({ rows: 0 }).charts;
  if (!first) throw new Error("no charts");
  const broken = outcome({ rows: 0, charts: [{ ...first, error: "no such column" }, ...others] });
  expect(() => requireShown(broken)).toThrow(/1 of 25 charts do not answer.*no such column/);
});

it("what a former version left is told", () => {
  const retired = { removed: ['chart "Old"'], used: ["dataset dm.v_old"] };
  expect(remarks(outcome({ retired })).slice(0, 2)).toEqual([
    'Removed, as it is no part of the dashboard any more: chart "Old"',
    "No part of the dashboard any more, but still in use: dataset dm.v_old",
  ]);
});
