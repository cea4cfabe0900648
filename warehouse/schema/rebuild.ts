import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { formatCount } from "../../terminal/format.ts";
import { withLease } from "../batch/lease.ts";
import { commandOn } from "../database/command.ts";
import { findOnlyCopies } from "../ledger/findings.ts";
import { applyLeases } from "./ddl.ts";

/** Layers that can be computed again from the one below, lowest first. */
export const REBUILDABLE = ["ods", "dds", "dm"] as const;

/**
 * Drops a derived layer and those above it, so that they can be created and filled again. Rows of ods
 * come back from stg as far as they are younger than its time to live.
 * @param isAgreed the loss of the others is agreed to
 * @throws UserError where rows would not come back and nobody has agreed to that; nothing is dropped
 */
export async function rebuildLayer(
  db: Database,
  layer: (typeof REBUILDABLE)[number],
  isAgreed = process.env.YES === "1",
): Promise<void> {
  await applyLeases(db);
  await withLease(db, "ddl --rebuild", async ({ db: held }) => {
    if (layer === "ods" && !isAgreed) await requireCopies(held);
    for (const name of REBUILDABLE.slice(REBUILDABLE.indexOf(layer)).reverse()) {
      await held.run(`DROP DATABASE IF EXISTS ${name} SYNC`);
    }
  });
}

const REBUILD_ODS = "ddl --rebuild ods --yes";

/** @throws UserError where ods holds the only copy of messages */
async function requireCopies(db: Database): Promise<void> {
  const filled = await db.rows(
    "SELECT 1 FROM system.tables WHERE database = 'ods' AND match(name, '_event(_errors)?$') AND total_rows > 0",
  );
  if (filled.length === 0) return;
  const lost = await findOnlyCopies(db);
  if (lost.length === 0) return;
  const what = lost.map(({ stream, count }) => `${formatCount(count)} ${stream}`).join(", ");
  throw new UserError(
    `ods holds the only copy of ${what} messages: stg does not hold them any more, and a rebuild loses them. Nothing was changed`,
    `${commandOn(db, REBUILD_ODS, `pipeline ${REBUILD_ODS}`)} agrees to it`,
  );
}
