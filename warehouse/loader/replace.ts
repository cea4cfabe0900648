import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { filledTables } from "../batch/layers.ts";
import { hintToRun } from "../database/command.ts";

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
