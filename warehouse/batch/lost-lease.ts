import { DatabaseError, DatabaseUnavailable, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";

/** Error of a run whose statement was refused or interrupted; no further statement ran. */
export class LeaseLost extends UserError {}

const UNKNOWN_DATABASE = 81;
const THROW_IF = 395;
const NEWER_LEASE = "a newer lease is recorded";

export function withLeaseErrors(db: Database, name: string, step: string): Database {
  const isRefusal = (error: unknown): boolean =>
    error instanceof DatabaseError &&
    ((error.code === UNKNOWN_DATABASE && error.message.includes(name)) ||
      (error.code === THROW_IF && error.message.includes(NEWER_LEASE)));
  const explain = async (error: unknown): Promise<never> => {
    // A paused process finds its connection closed, so a second query checks the lease.
    const isCut = error instanceof DatabaseUnavailable && (await isRefused(db, isRefusal));
    if (!isCut && !isRefusal(error)) throw error;
    throw new LeaseLost(
      `${step} lost its lease to another run: ${isCut ? CUT : REFUSED}. ${REPAIRED}`,
      "wait until the other run has ended, then retry",
    );
  };
  return {
    kind: db.kind,
    label: db.label,
    rows: (...query) => db.rows<never>(...query).catch(explain),
    run: (...statement) => db.run(...statement).catch(explain),
    insertTsv: (...insert) => db.insertTsv(...insert).catch(explain),
    close: () => db.close(),
  };
}

const REFUSED = "the server refused its statement";
const CUT = "its connection broke during a statement, which may have changed rows";
const REPAIRED = "The other run, or the next one, repairs the rows of the interrupted load.";

const isRefused = (db: Database, isRefusal: (error: unknown) => boolean): Promise<boolean> =>
  db.rows("SELECT 1").then(() => false, isRefusal);
