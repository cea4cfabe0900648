import type { Database } from "../../contract/ports.ts";
import { withLease } from "../batch/lease.ts";
import { applyLeases } from "./ddl.ts";

/** Layers that can be computed again from the one below, lowest first. */
export const REBUILDABLE = ["ods", "dds", "dm"] as const;

/**
 * Drops a derived layer and those above it, so that they can be created and filled again. Rows of ods
 * come back from stg as far as they are younger than its time to live.
 */
export async function rebuildLayer(
  db: Database,
  layer: (typeof REBUILDABLE)[number],
): Promise<void> {
  await applyLeases(db);
  await withLease(db, "ddl --rebuild", async ({ db: held }) => {
    for (const name of REBUILDABLE.slice(REBUILDABLE.indexOf(layer)).reverse()) {
      await held.run(`DROP DATABASE IF EXISTS ${name} SYNC`);
    }
  });
}
