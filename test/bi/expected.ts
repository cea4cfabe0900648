import { z } from "zod";
import { columnsOf } from "../../superset/columns.ts";
import type { Chart, Condition, Dataset } from "../../superset/model.ts";
import type { Row } from "./ask.ts";
import type { Marts } from "./marts.ts";

/** Half-open, UTC, as Superset writes it. */
export interface Range {
  readonly start: string;
  readonly end: string;
}

/** A filter on a chart's time column. */
export const rangeFilter = (column: string, { start, end }: Range) => ({
  col: column,
  op: "TEMPORAL_RANGE",
  val: `${start} : ${end}`,
});

/** The chart's query with filters set as on the dashboard. */
export const narrowed = (
  { dataset, query, only }: Chart,
  range: Range,
  choice: readonly Condition[],
) => ({
  columns: query.columns,
  metrics: query.metrics,
  orderby: query.orderby,
  row_limit: query.rowLimit,
  filters: [
    rangeFilter(dataset.time ?? "", range),
    ...only.map(({ column, operator, value }) => ({ col: column, op: operator, val: value })),
    ...choice.map(({ column, value }) => ({ col: column, op: "IN", val: [value] })),
  ],
});

/** The chart's first metric in each expected row, ascending, queried without Superset. */
export async function expected(
  { db }: Marts,
  { dataset, query, only }: Chart,
  range: Range,
  choice: readonly Condition[] = [],
): Promise<number[]> {
  const columns = query.columns.map((column, index) => `${groupOf(dataset, column)} AS c${index}`);
  const metric = dataset.metrics.find(({ key }) => key === query.metrics[0])?.expression;
  const conditions = [
    inRange(dataset, range),
    ...[...only, ...choice].map(
      ({ column, operator, value }) => `${sourceOf(dataset, column)} ${operator} '${value}'`,
    ),
  ];
  const rows = await db.rows<{ metric: number }>(
    `SELECT ${[...columns, `toFloat64(${metric}) AS metric`].join(", ")}
     FROM dm.${dataset.table} WHERE ${conditions.join(" AND ")}
     ${columns.length === 0 ? "" : `GROUP BY ${columns.map((_, index) => `c${index}`).join(", ")}`}`,
  );
  return rows.map((row) => Number(row.metric)).sort((a, b) => a - b);
}

/** The same values from the rows that Superset returns. */
export const shown = ({ query }: Chart, rows: readonly Row[]): number[] =>
  rows.map((row) => Number(row[query.metrics[0] ?? ""])).sort((a, b) => a - b);

const axis = z.object({ sqlExpression: z.string(), timeGrain: z.enum(["PT1H", "P1D"]).optional() });
const GRAINS = { PT1H: "toStartOfHour", P1D: "toStartOfDay" } as const;

function groupOf(dataset: Dataset, column: Chart["query"]["columns"][number]): string {
  if (typeof column === "string") return sourceOf(dataset, column);
  const { sqlExpression, timeGrain } = axis.parse(column);
  const source = sourceOf(dataset, sqlExpression);
  return timeGrain ? `${GRAINS[timeGrain]}(${source}, 'UTC')` : source;
}

const sourceOf = (dataset: Dataset, column: string): string =>
  [...dataset.calculated, ...columnsOf(dataset.table)].find(({ name }) => name === column)
    ?.expression ?? column;

/**
 * Instants with their zone, because the engine's zone differs. A day is in the range if its
 * midnight is.
 */
function inRange({ table, time }: Dataset, { start, end }: Range): string {
  const isDay = columnsOf(table).some(({ name, type }) => name === time && type === "Date");
  const instant = (text: string): string =>
    isDay ? `toDate('${text.slice(0, 10)}')` : `toDateTime64('${text}', 6, 'UTC')`;
  return `${time} >= ${instant(start)} AND ${time} < ${instant(end)}`;
}
