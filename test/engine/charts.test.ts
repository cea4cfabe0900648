import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { dashboardCharts } from "../../superset/dashboard.ts";
import type { Chart, Dataset } from "../../superset/model.ts";
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
  expect(dashboardCharts.map(({ title }) => title).sort()).toEqual(Object.keys(wanted).sort());
});

test.each(dashboardCharts.map((chart) => [chart.title, chart] as const))(
  "%s",
  async (title, chart) => {
    const { columns, rows } = parseTable(wanted[title] ?? "");
    const found = await readRows(engine.db, sqlOf(chart), {}, columns);
    expect(sorted(found)).toEqual(sorted(rows.map((row) => row.map(normalise))));
    const asked = [...chart.query.columns.map(nameOf), ...chart.query.metrics];
    expect(asked.sort()).toEqual([...columns].sort());
  },
);

type Column = Chart["query"]["columns"][number];

/** A column is a name, or the axis of time with its grain. */
const nameOf = (column: Column): string => (isAxis(column) ? String(column.label) : String(column));

const isAxis = (
  column: Column,
): column is Exclude<Column, string | number | boolean | null> & {
  label: string;
  timeGrain?: string;
} => typeof column === "object" && column !== null && "label" in column;

const GRAINS: Readonly<Record<string, string>> = { PT1H: "toStartOfHour", P1D: "toDate" };

/** The chart's question as SQL. Superset builds its own, which the level `bi` compares. */
function sqlOf({ dataset, query, only }: Chart): string {
  const dimensions = query.columns.map((column) => {
    const name = nameOf(column);
    const expression = expressionOf(dataset, name);
    const grain = isAxis(column) ? GRAINS[column.timeGrain ?? ""] : undefined;
    return `${grain ? `${grain}(${expression}, 'UTC')` : expression} AS \`${name}\``;
  });
  const metrics = query.metrics.map((key) => {
    const metric = dataset.metrics.find((one) => one.key === key);
    return `${metric?.expression} AS \`${key}\``;
  });
  const conditions = only.map(
    ({ column, operator, value }) =>
      `toString(${expressionOf(dataset, column)}) ${operator} '${value}'`,
  );
  return `SELECT ${[...dimensions, ...metrics].join(", ")} FROM dm.${dataset.table}
    ${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : ""}
    GROUP BY ${dimensions.length > 0 ? query.columns.map((_, i) => i + 1).join(", ") : "()"}
    LIMIT ${query.rowLimit}`;
}

const expressionOf = ({ table, calculated }: Dataset, name: string): string =>
  calculated.find((column) => column.name === name)?.expression ?? `${table}.${name}`;
