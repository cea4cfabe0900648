import type { Database } from "../../contract/ports.ts";
import { withLock } from "../batch/lock.ts";

/** Layers that can be computed again from the one below, lowest first. */
export const REBUILDABLE = ["ods", "dds", "dm"] as const;

/**
 * Drops a derived layer and those above it, so that they are created and filled anew. Rows of ods
 * come back from stg as far as they are younger than its time to live.
 */
export async function rebuildLayer(
  db: Database,
  layer: (typeof REBUILDABLE)[number],
): Promise<void> {
  await withLock(db, "ddl --rebuild", async ({ requireHeld }) => {
    for (const name of REBUILDABLE.slice(REBUILDABLE.indexOf(layer)).reverse()) {
      requireHeld();
      await db.run(`DROP DATABASE IF EXISTS ${name} SYNC`);
    }
  });
}
