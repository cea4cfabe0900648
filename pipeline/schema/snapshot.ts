import type { Database } from "../../contract/ports.ts";

/** A table or view as the database describes it, without what differs between servers. */
export interface SchemaObject {
  /** `database.name`. */
  readonly object: string;
  readonly engine: string;
  readonly columns: readonly string[];
  readonly partitionKey: string;
  readonly sortingKey: string;
  /** Query of a view; empty for tables. */
  readonly query: string;
}

const LAYERS = "('stg', 'ods', 'dds', 'dm')";

interface TableRow {
  database: string;
  name: string;
  engine: string;
  partition_key: string;
  sorting_key: string;
  as_select: string;
}

/** All objects of the four layers, by name. */
export async function readSnapshot(db: Database): Promise<SchemaObject[]> {
  const tables = await db.rows<TableRow>(`
    SELECT database, name, engine, partition_key, sorting_key, as_select
    FROM system.tables
    WHERE database IN ${LAYERS} AND name != 'step_lock' AND name NOT LIKE '.inner%'
    ORDER BY database, name`);
  const columns = await db.rows<{ object: string; column: string }>(`
    SELECT concat(database, '.', table) AS object, concat(name, ' ', type) AS column
    FROM system.columns
    WHERE database IN ${LAYERS}
    ORDER BY object, position`);
  return tables.map((table) => {
    const object = `${table.database}.${table.name}`;
    return {
      object,
      engine: table.engine,
      columns: columns.filter((line) => line.object === object).map((line) => line.column),
      partitionKey: table.partition_key,
      sortingKey: table.sorting_key,
      query: normalise(table.as_select),
    };
  });
}

/** Servers of different series print the same query with other quotes and brackets. */
const normalise = (query: string): string => query.replace(/[`()\s]/g, "");
