import type { Database } from "../../contract/ports.ts";
import { sideBySide } from "../database/side-by-side.ts";
import { type PublishedTable, readSelect, SCOPES } from "./published-table.ts";

/** @throws Error if a load of changed ids would lose or double rows */
export async function requireWholeRows(
  db: Database,
  tables: readonly PublishedTable[],
): Promise<void> {
  const replaced = tables.filter(({ rows }) => rows);
  await sideBySide(replaced.map((table) => requireSources(db, table)));
  const names = replaced.flatMap(({ publish, from }) => [publish, ...Object.keys(from)]);
  const [wrong] = await db.rows<{ name: string; partition_key: string }>(READ_OTHER_PARTITIONS, {
    names,
  });
  if (wrong) {
    throw new Error(
      `${wrong.name} has PARTITION BY ${wrong.partition_key}; allowed: nothing, or toStartOfMonth(COLUMN) of a DateTime64 in UTC`,
    );
  }
}

async function requireSources(
  db: Database,
  { publish, rows = "click", from }: PublishedTable,
): Promise<void> {
  const unknown = [...(await tablesReadBy(db, publish))].filter((table) => !(table in from));
  if (unknown.length > 0) {
    throw new Error(
      `etl/plan.yaml: ${publish} reads ${unknown.join(", ")}, which \`from\` does not name`,
    );
  }
  const otherKey = Object.entries(from).find(([, scope]) => SCOPES[scope] !== SCOPES[rows]);
  if (otherKey) {
    throw new Error(
      `etl/plan.yaml: ${publish} replaces rows by ${SCOPES[rows]}, so it cannot read ${otherKey[0]} by ${SCOPES[otherKey[1]]}: slices would lose joined rows`,
    );
  }
}

const READ_OTHER_PARTITIONS = `
  SELECT concat(database, '.', table) AS name, partition_key
  FROM system.tables
  WHERE name IN {names:Array(String)} AND partition_key != ''
    AND (database, table, partition_key) NOT IN (
      SELECT database, table, concat('toStartOfMonth(', name, ')') FROM system.columns
      WHERE type LIKE 'DateTime64(%UTC%')`;

/** Returns the tables of ods, dds and dm that the SELECT of a table reads, as the database resolves them. */
export async function tablesReadBy(db: Database, table: string): Promise<Set<string>> {
  const lines = await db.rows<{ name: string }>(
    `SELECT DISTINCT extract(explain, 'table_name: ((?:ods|dds|dm)[.][a-z_]+)') AS name
     FROM (EXPLAIN QUERY TREE ${readSelect(table)})
     WHERE name != ''`,
  );
  return new Set(lines.map(({ name }) => name));
}
