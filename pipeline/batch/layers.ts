import type { Database } from "../../contract/ports.ts";
import { type LeaseOptions, withLease } from "./lease.ts";

/** Names of the tables that `clearLayers` would take rows from. */
export async function filledTables(db: Database): Promise<string[]> {
  const filled = (await layerTables(db)).filter(({ rows }) => Number(rows) > 0);
  return filled.map(({ database, name }) => `${database}.${name}`);
}

/** Empties the layers under a lease of its own. */
export async function clearLayers(db: Database, lease?: LeaseOptions): Promise<void> {
  if ((await layerTables(db)).length === 0) return;
  await withLease(db, "clear layers", ({ db: held }) => clearLayersAsHolder(held), lease);
}

/**
 * Empties every table but those of epochs and leases, whose numbers are never used twice. The commits go
 * first: what an interrupted run leaves does not count.
 * @param db of the holder of the lease
 */
export async function clearLayersAsHolder(db: Database): Promise<void> {
  for (const { database, name } of await layerTables(db)) {
    await db.run(`TRUNCATE TABLE ${database}.${name}`);
  }
}

const layerTables = (db: Database) =>
  db.rows<{ database: string; name: string; rows: number }>(
    `SELECT database, name, ifNull(total_rows, 0) AS rows FROM system.tables
     WHERE database IN ('stg', 'ods', 'dds', 'dm') AND engine LIKE '%MergeTree'
       AND (database, name) NOT IN (('stg', 'epoch'), ('stg', 'lease'))
     ORDER BY name != 'load_commit', database, name`,
  );
