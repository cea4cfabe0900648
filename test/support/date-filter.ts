import type { Database } from "../../contract/ports.ts";
import { columnsOf } from "../../superset/columns.ts";
import type { Dataset } from "../../superset/model.ts";

/** Half-open, UTC, without a zone. */
export interface Instants {
  readonly start: string;
  readonly end: string;
}

/**
 * The condition that Superset 6.1 generates for a date filter (`get_time_filter` in
 * superset/models/helpers.py, `convert_dttm` in superset/db_engine_specs/clickhouse.py). The level `bi` compares it
 * with the real one.
 */
export function dateFilter({ table, time }: Dataset, { start, end }: Instants): string {
  const isDay = columnsOf(table).some(({ name, type }) => name === time && type === "Date");
  const literal = (text: string): string =>
    isDay ? `toDate('${text.slice(0, 10)}')` : `toDateTime('${text.replace("T", " ")}')`;
  return `${table}.${time} >= ${literal(start)} AND ${table}.${time} < ${literal(end)}`;
}

export interface Read {
  readonly table: string;
  readonly granules: number;
  readonly of: number;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly Description?: string;
  readonly Plans?: readonly PlanNode[];
  readonly Indexes?: readonly {
    readonly "Initial Granules"?: number;
    readonly "Selected Granules"?: number;
  }[];
}

/** Granules that a query reads of each table of dm, after partitions, primary key and indexes. */
export async function granulesOf(db: Database, sql: string): Promise<Read[]> {
  const rows = await db.rows<{ explain: string }>(`EXPLAIN json = 1, indexes = 1 ${sql}`);
  const plans = JSON.parse(rows.map(({ explain }) => explain).join("\n")) as { Plan: PlanNode }[];
  return plans.flatMap(({ Plan }) => readsOf(Plan));
}

function readsOf(node: PlanNode): Read[] {
  const below = (node.Plans ?? []).flatMap(readsOf);
  const { Description: table = "", Indexes: indexes = [] } = node;
  if (!table.startsWith("dm.")) return below;
  const of = indexes[0]?.["Initial Granules"] ?? Number.NaN;
  return [...below, { table, granules: indexes.at(-1)?.["Selected Granules"] ?? of, of }];
}
