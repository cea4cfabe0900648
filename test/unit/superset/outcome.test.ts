import { describe, expect, it } from "vitest";
import { allCharts } from "../../../superset/dashboards/dashboards.ts";
import { type BiOutcome, remarks, requireChartsToLoad } from "../../../superset/import/outcome.ts";

const outcome = (change: Partial<BiOutcome>, empty: readonly string[] = []): BiOutcome => ({
  pages: ["http://superset/dashboard/"],
  charts: allCharts.map((chart) => ({
    chart,
    rows: empty.includes(chart.title) ? 0 : 1,
    seconds: 0.1,
    error: undefined,
  })),
  rows: 5,
  ...change,
});

describe("empty charts", () => {
  it("are an error if the marts have page events", () => {
    expect(() => requireChartsToLoad(outcome({}, ["Sessions", "Channels"]))).toThrow(
      `The marts have 5 page events, but 2 of ${allCharts.length} charts are empty: Sessions, Channels`,
    );
  });

  it("are listed with the condition that they need", () => {
    const young = outcome({}, ["Retention", "Campaigns"]);
    expect(() => requireChartsToLoad(young)).not.toThrow();
    expect(remarks(young)).toEqual([
      "Empty until a session comes from a campaign: Campaigns",
      "Empty until a second day is complete: Retention",
      "Open http://superset/dashboard/",
    ]);
  });

  it("are normal for empty marts", () => {
    const none = outcome(
      { rows: 0 },
      allCharts.map(({ title }) => title),
    );
    expect(() => requireChartsToLoad(none)).not.toThrow();
    expect(remarks(none)).toEqual([expect.stringContaining("The marts are empty")]);
  });
});

it("a failing chart is an error, with or without rows", () => {
  const [first, ...others] = outcome({ rows: 0 }).charts;
  if (!first) throw new Error("no charts");
  const broken = outcome({ rows: 0, charts: [{ ...first, error: "no such column" }, ...others] });
  expect(() => requireChartsToLoad(broken)).toThrow(
    new RegExp(`1 of ${allCharts.length} charts fail.*no such column`),
  );
});
