import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { readSources, type Source } from "./source.ts";

/** Where a ledger learns what was sent. */
export interface SourceFeed {
  read(): Promise<Source[]>;
  /** Waits until everything sent by now is stored; false when it gave up. */
  arrived(): Promise<boolean>;
}

/** What the database itself keeps: statements of sources that have ended. */
export const storedFeed = (db: Database, epoch: number): SourceFeed => ({
  read: () => readSources(db, epoch),
  arrived: async () => true,
});

export async function currentEpoch(db: Database): Promise<number> {
  const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
  if (row && row.epoch > 0) return row.epoch;
  throw new UserError("stg holds no data yet: there is nothing to account for.", "make data");
}
