import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
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
  const asked = [...chart.query.columns.map(nameOf), ...chart.query.metrics];
  expect(asked.sort()).toEqual([...columns].sort());
});
