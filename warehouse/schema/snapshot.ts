import { DATABASES } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { storageOf } from "./storage.ts";

/** A table or view as the database describes it, without differences between servers. */
export interface SchemaObject {
  readonly object: string;
  readonly engine: string;
  /** Arguments of a MergeTree engine; those of other engines contain addresses. */
  readonly engineArguments: string;
  /** Table into which a materialized view writes. */
  readonly target: string;
  /** In the order of the table. */
  readonly columns: readonly string[];
  /** Data-skipping indexes: name, expression, type and granularity. */
  readonly indexes: readonly string[];
  readonly partitionKey: string;
  readonly sortingKey: string;
  readonly ttl: string;
  /** Settings of a MergeTree table, `name = value`; those of other engines contain addresses. */
  readonly settings: readonly string[];
  /** Query of a view, as a server formats it. */
  readonly query: string;
}

const DATABASE_LIST = `(${DATABASES.map((name) => `'${name}'`).join(", ")})`;

/** Series of servers format a query differently, so one server must format both that it compares. */
export const formatted = (query: string): string =>
  `ifNull(formatQuerySingleLineOrNull(${query}), ${query})`;

interface TableRow {
  replica: string;
  database: string;
  name: string;
  engine: string;
  partition_key: string;
  sorting_key: string;
  query: string;
  engine_full: string;
  create_table_query: string;
}

interface PartRow {
  replica: string;
  object: string;
  text: string;
}

export async function readSnapshot(db: Database): Promise<SchemaObject[]> {
  return (await readSnapshots(db, "''", (table) => table)).get("") ?? [];
}

/** Name of the replica that evaluates it. */
export const REPLICA = "getMacro('replica')";

export const ofAllReplicas = (cluster: string, table: string): string =>
  `clusterAllReplicas('${cluster}', ${table})`;

/** Reads the objects of each replica of a cluster that has any. */
export const readReplicas = (db: Database, cluster: string): Promise<Map<string, SchemaObject[]>> =>
  readSnapshots(db, REPLICA, (table) => ofAllReplicas(cluster, table));

async function readSnapshots(
  db: Database,
  replica: string,
  source: (table: string) => string,
): Promise<Map<string, SchemaObject[]>> {
  const tables = await db.rows<TableRow>(`
    SELECT ${replica} AS replica, database, name, engine, partition_key, sorting_key, engine_full,
      create_table_query, ${formatted("as_select")} AS query
    FROM ${source("system.tables")}
    WHERE database IN ${DATABASE_LIST} AND name NOT LIKE '.inner%'
    ORDER BY database, name`);
  const columns = await readParts(db, replica, COLUMNS(source("system.columns")));
  const indexes = await readParts(db, replica, INDEXES(source("system.data_skipping_indices")));
  const found = Map.groupBy(tables, (table) => table.replica);
  return new Map([...found].map(([name, rows]) => [name, rows.map((row) => objectOf(row))]));

  function objectOf(table: TableRow): SchemaObject {
    const object = `${table.database}.${table.name}`;
    const key = `${table.replica} ${object}`;
    const { engineArguments, ttl, settings } = storageOf(table);
    return {
      object,
      engine: table.engine,
      engineArguments,
      target: TARGET.exec(table.create_table_query)?.[1] ?? "",
      columns: columns.get(key) ?? [],
      indexes: indexes.get(key) ?? [],
      partitionKey: table.partition_key,
      sortingKey: table.sorting_key,
      ttl,
      settings,
      query: table.query,
    };
  }
}

const COLUMNS = (source: string) => `
  concat(database, '.', table) AS object,
    trimRight(concat(name, ' ', type, ' ', default_kind, ' ', default_expression, ' ', compression_codec)) AS text
  FROM ${source}
  WHERE database IN ${DATABASE_LIST}
  ORDER BY object, position`;

const INDEXES = (source: string) => `
  concat(database, '.', table) AS object,
    concat(name, ' ', expr, ' TYPE ', type_full, ' GRANULARITY ', toString(granularity)) AS text
  FROM ${source}
  WHERE database IN ${DATABASE_LIST}
  ORDER BY object, name`;

/** Reads lines by replica and object. */
async function readParts(
  db: Database,
  replica: string,
  sql: string,
): Promise<Map<string, string[]>> {
  const parts = new Map<string, string[]>();
  const rows = await db.rows<PartRow>(`SELECT ${replica} AS replica,${sql}`);
  for (const { replica: name, object, text } of rows) {
    const key = `${name} ${object}`;
    const line = text.replace(/ {2,}/g, " ");
    parts.set(key, [...(parts.get(key) ?? []), line]);
  }
  return parts;
}

const TARGET = /^CREATE MATERIALIZED VIEW \S+(?: UUID '[^']*')? TO (\S+)/;
