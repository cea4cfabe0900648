import { DatabaseAway, DatabaseError, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";

/** Another run took over: the server refused a statement, and nothing after it was run. */
export class LeaseLost extends UserError {}

const UNKNOWN_DATABASE = 81;

/** `db`, whose statements throw LeaseLost once its current database `name` is gone. */
export function refusingWhenLost(db: Database, name: string, step: string): Database {
  const isRefusal = (error: unknown): boolean =>
    error instanceof DatabaseError &&
    error.code === UNKNOWN_DATABASE &&
    error.message.includes(name);
  const explain = async (error: unknown): Promise<never> => {
    // The connection of a process that was paused is cut: another one says whether the lease is lost, too.
    const isLost =
      isRefusal(error) || (error instanceof DatabaseAway && (await isRefused(db, isRefusal)));
    if (!isLost) throw error;
    throw new LeaseLost(
      `${step} lost its lease to another run; nothing further was written.`,
      "wait until the other run has ended, then run the step again",
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

const isRefused = (db: Database, isRefusal: (error: unknown) => boolean): Promise<boolean> =>
  db.rows("SELECT 1").then(() => false, isRefusal);
