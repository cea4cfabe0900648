import { columnsOf } from "../../superset/columns.ts";
import type { Chart, Dataset } from "../../superset/model.ts";

type Column = Chart["query"]["columns"][number];

/** Returns the name of a column, which may be the time axis with a grain. */
export const nameOf = (column: Column): string =>
  isAxis(column) ? String(column.label) : String(column);

const isAxis = (
  column: Column,
): column is Exclude<Column, string | number | boolean | null> & {
  label: string;
  timeGrain?: string;
} => typeof column === "object" && column !== null && "label" in column;

const GRAINS: Readonly<Record<string, string>> = {
  PT1M: "toStartOfMinute",
  PT1H: "toStartOfHour",
  P1D: "toDate",
};

/** Returns a chart's query as SQL; the level `bi` compares the SQL of Superset. */
export function sqlOf({ dataset, query, only }: Chart, filter?: string): string {
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
  const conditions = [
    ...only.map(
      ({ column, operator, value }) =>
        `toString(${expressionOf(dataset, column)}) ${operator} '${value}'`,
    ),
    ...(filter === undefined ? [] : [filter]),
  ];
  return `SELECT ${[...dimensions, ...metrics].join(", ")} FROM dm.${dataset.table}
    ${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : ""}
    GROUP BY ${dimensions.length > 0 ? query.columns.map((_, i) => i + 1).join(", ") : "()"}
    LIMIT ${query.rowLimit}`;
}

const expressionOf = ({ table, calculated }: Dataset, name: string): string =>
  [...calculated, ...columnsOf(table)].find((column) => column.name === name)?.expression ??
  `${table}.${name}`;
