import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { hintToRun } from "../database/command.ts";
import { type LeaseOptions, withLease } from "./lease.ts";

export async function filledTables(db: Database): Promise<string[]> {
  const filled = (await layerTables(db)).filter(({ rows }) => Number(rows) > 0);
  return filled.map(({ database, name }) => `${database}.${name}`);
}

export async function clearLayers(db: Database, lease?: LeaseOptions): Promise<void> {
  if ((await layerTables(db)).length === 0) return;
  await withLease(db, "clear layers", ({ db: held }) => clearLayersAsHolder(held), lease);
}

/** Empties all layers except epochs and leases, whose numbers must never repeat, what is known of erased visitors, and what layers keep. */
export async function clearLayersAsHolder(db: Database): Promise<void> {
  for (const { database, name } of await layerTables(db)) {
    await db.run(`TRUNCATE TABLE ${database}.${name}`);
  }
}

/** Lists tables in deletion order: commits first; load_range last, because load_ods needs it. */
const layerTables = (db: Database) =>
  db.rows<{ database: string; name: string; rows: number }>(
    `SELECT database, name, ifNull(total_rows, 0) AS rows FROM system.tables
     WHERE database IN ('stg', 'ods', 'dds', 'dm', 'dm_internal') AND engine LIKE '%MergeTree'
       AND (database, name) NOT IN (('stg', 'epoch'), ('stg', 'lease'), ('stg', 'erasure'), ('stg', 'erasure_key'), ('stg', 'retention'))
     ORDER BY
       multiIf(name = 'load_commit', 1, startsWith(name, 'work_'), 2, name = 'load_range', 4, 3),
       indexOf(['dm_internal', 'dm', 'dds', 'ods', 'stg'], database), name`,
  );

/** Refuses to delete rows without confirmation. @throws UserError, before any change */
export async function requireReplaceable(db: Database, isAgreed: boolean): Promise<void> {
  if (isAgreed || process.env.YES === "1") return;
  const filled = await filledTables(db);
  if (filled.length === 0) return;
  throw new UserError(
    `--replace removes the rows of ${filled.join(", ")}. Nothing was changed`,
    `to confirm, ${hintToRun(db, "data --replace --yes", "YES=1 make data REPLACE=1")}` +
      (db.directory === undefined ? " (in the scheduler: agree_to_loss)" : ""),
  );
}
