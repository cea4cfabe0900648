import { DATABASES } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";

/** A table or view as the database describes it, without differences between servers. */
export interface SchemaObject {
  readonly object: string;
  readonly engine: string;
  readonly columns: readonly string[];
  /** Data-skipping indexes: name, expression, type and granularity. */
  readonly indexes: readonly string[];
  readonly partitionKey: string;
  readonly sortingKey: string;
  readonly ttl: string;
  /** Settings of a MergeTree table, `name = value`; those of other engines contain addresses. */
  readonly settings: readonly string[];
  readonly query: string;
}

const DATABASE_LIST = `(${DATABASES.map((name) => `'${name}'`).join(", ")})`;

interface TableRow {
  database: string;
  name: string;
  engine: string;
  partition_key: string;
  sorting_key: string;
  as_select: string;
  engine_full: string;
}

interface PartRow {
  object: string;
  text: string;
}

export async function readSnapshot(db: Database): Promise<SchemaObject[]> {
  const tables = await db.rows<TableRow>(`
    SELECT database, name, engine, partition_key, sorting_key, as_select, engine_full
    FROM system.tables
    WHERE database IN ${DATABASE_LIST} AND name NOT LIKE '.inner%'
    ORDER BY database, name`);
  const columns = await readParts(db, COLUMNS);
  const indexes = await readParts(db, INDEXES);
  return tables.map((table) => {
    const object = `${table.database}.${table.name}`;
    return {
      object,
      engine: table.engine,
      columns: columns.get(object) ?? [],
      indexes: indexes.get(object) ?? [],
      partitionKey: table.partition_key,
      sortingKey: table.sorting_key,
      ...storageOf(table),
      query: normalise(table.as_select),
    };
  });
}

const COLUMNS = `
  SELECT concat(database, '.', table) AS object,
    trimRight(concat(name, ' ', type, ' ', default_kind, ' ', default_expression, ' ', compression_codec)) AS text
  FROM system.columns
  WHERE database IN ${DATABASE_LIST}
  ORDER BY object, position`;

const INDEXES = `
  SELECT concat(database, '.', table) AS object,
    concat(name, ' ', expr, ' TYPE ', type_full, ' GRANULARITY ', toString(granularity)) AS text
  FROM system.data_skipping_indices
  WHERE database IN ${DATABASE_LIST}
  ORDER BY object, name`;

async function readParts(db: Database, sql: string): Promise<Map<string, string[]>> {
  const parts = new Map<string, string[]>();
  for (const { object, text } of await db.rows<PartRow>(sql)) {
    const line = text.replace(/ {2,}/g, " ");
    parts.set(object, [...(parts.get(object) ?? []), line]);
  }
  return parts;
}

/** The default that every MergeTree table prints, and what the tier `service` adds to tables of all tiers. */
const UNDECLARED: readonly string[] = [
  "index_granularity = 8192",
  "non_replicated_deduplication_window = 1000",
];

function storageOf({ engine, engine_full }: TableRow): { ttl: string; settings: string[] } {
  if (!engine.endsWith("MergeTree")) return { ttl: "", settings: [] };
  const [definition = "", settings = ""] = engine_full.split(" SETTINGS ");
  return {
    ttl: definition.split(" TTL ")[1] ?? "",
    settings: settings
      .split(", ")
      .filter((setting) => setting !== "" && !UNDECLARED.includes(setting)),
  };
}

/** Removes the quotes and brackets that differ between server series. */
const normalise = (query: string): string => query.replace(/[`()\s]/g, "");
