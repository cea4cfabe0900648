import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { dailyActivity } from "../../superset/charts/overview.ts";
import { allCharts } from "../../superset/dashboards/dashboards.ts";
import { nameOf, sqlOf } from "../support/chart-sql.ts";
import { openTestEngine, type TestEngine } from "../support/engine.ts";
import { normalise, parseTable } from "./expected-rows/notation.ts";
import { insertRows, readRows, sorted } from "./expected-rows/tables.ts";

const { given, expect: wanted } = parse(
  readFileSync(join(import.meta.dirname, "charts.yaml"), "utf8"),
) as Record<"given" | "expect", Record<string, string>>;

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
  for (const [table, rows] of Object.entries(given)) {
    await insertRows(engine.db, table, parseTable(rows));
  }
});
afterAll(() => engine[Symbol.asyncDispose]());

test("every chart of the dashboard has expected rows by its title", () => {
  expect(allCharts.map(({ title }) => title).sort()).toEqual(Object.keys(wanted).sort());
});

test.each(allCharts.map((chart) => [chart.title, chart] as const))("%s", async (title, chart) => {
  const { columns, rows } = parseTable(wanted[title] ?? "");
  const found = await readRows(engine.db, sqlOf(chart), {}, columns);
  expect(sorted(found)).toEqual(sorted(rows.map((row) => row.map(normalise))));
  expect(found.flat(), "rows without a name").not.toContain("");
  const asked = [...chart.query.columns.map(nameOf), ...chart.query.metrics];
  expect(asked.sort()).toEqual([...columns].sort());
});

test.each([
  ["without a first day that began late", "2026-01-01 00:01:00", ["2026-01-02"]],
  [
    "with every day before one is complete",
    "2026-01-02 09:00:00",
    ["2026-01-01", "2026-01-02", "2026-01-03"],
  ],
])("a chart by day is %s", async (_, from, days) => {
  await engine.db.run("TRUNCATE TABLE dm.complete_period");
  await engine.db.run(
    `INSERT INTO dm.complete_period VALUES ('${from}', '2026-01-03 00:00:00', '2026-01-02')`,
  );
  const found = await readRows(engine.db, sqlOf(dailyActivity), {}, ["event_timestamp"]);
  expect(sorted(found)).toEqual(days.map((day) => [day]));
});
