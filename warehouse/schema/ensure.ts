import { LAYERS } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { applyDdl } from "./ddl.ts";

/** A stack creates its own schema. */
export async function ensureSchema(db: Database): Promise<void> {
  if (db.directory === undefined) return;
  const found = await db.rows(
    "SELECT 1 FROM system.databases WHERE name IN {layers:Array(String)}",
    {
      layers: LAYERS,
    },
  );
  if (found.length < LAYERS.length) await applyDdl(db, "all");
}
