import { DATABASES } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";

/** Waits until each replica of a cluster has executed all definitions and its queue of rows and deletes. */
export async function syncReplicas(db: Database): Promise<void> {
  if (db.cluster === undefined) return;
  const tables = await db.rows<{ name: string }>(REPLICATED, { databases: DATABASES });
  for (const { name } of tables) await db.run(`SYSTEM SYNC REPLICA ${name}`);
}

const REPLICATED = `
  SELECT concat(database, '.', name) AS name FROM system.tables
  WHERE database IN {databases:Array(String)} AND startsWith(engine, 'Replicated')
  ORDER BY name`;
