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
 * Empties every table but those of epochs and leases, whose numbers are never used twice. Wherever it is
 * interrupted, the next load repairs what is left.
 * @param db of the holder of the lease
 */
export async function clearLayersAsHolder(db: Database): Promise<void> {
  for (const { database, name } of await layerTables(db)) {
    await db.run(`TRUNCATE TABLE ${database}.${name}`);
  }
}

/**
 * In the order in which they are emptied. Commits first: what is left does not count, and dm starts from
 * nothing where dds does. Scratch before the rows that it names, as in load_dds/clear.sql. ods.load_range
 * last: by it load_ods finds rows without a commit.
 */
const layerTables = (db: Database) =>
  db.rows<{ database: string; name: string; rows: number }>(
    `SELECT database, name, ifNull(total_rows, 0) AS rows FROM system.tables
     WHERE database IN ('stg', 'ods', 'dds', 'dm') AND engine LIKE '%MergeTree'
       AND (database, name) NOT IN (('stg', 'epoch'), ('stg', 'lease'))
     ORDER BY
       multiIf(name = 'load_commit', 1, startsWith(name, 'work_'), 2, name = 'load_range', 4, 3),
       indexOf(['dm', 'dds', 'ods', 'stg'], database), name`,
  );
