import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { hintToRun } from "../database/command.ts";

/** @param hint names a command that loads data */
export async function currentEpoch(db: Database, hint?: string): Promise<number> {
  const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
  if (row && row.epoch > 0) return row.epoch;
  throw noDataError(db, hint);
}

export const noDataError = (db: Database, hint = hintToRun(db, "data")): UserError =>
  new UserError("No data is loaded: every layer is empty", hint);
