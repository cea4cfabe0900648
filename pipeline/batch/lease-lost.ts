import { DatabaseError, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";

/** Another run took over: the server refused a statement, and nothing after it was run. */
export class LeaseLost extends UserError {}

const UNKNOWN_DATABASE = 81;

/** `db`, whose statements throw LeaseLost once its current database `name` is gone. */
export function refusingWhenLost(db: Database, name: string, step: string): Database {
  const explain = (error: unknown): never => {
    const isLost =
      error instanceof DatabaseError &&
      error.code === UNKNOWN_DATABASE &&
      error.message.includes(name);
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
