import { DatabaseError, UserError } from "../../contract/errors.ts";

const UNKNOWN_TABLE = 60;
const UNKNOWN_DATABASE = 81;

/** A statement that failed for want of a table or database becomes an error that says the cure. */
export function explainMissingSchema(error: unknown, what: string): unknown {
  const isMissing =
    error instanceof DatabaseError &&
    (error.code === UNKNOWN_TABLE || error.code === UNKNOWN_DATABASE);
  if (!isMissing) return error;
  return new UserError(
    `${what}: the schema is missing or incomplete: ${error.message}`,
    "make ddl (in the scheduler: run the DAG ddl_init first)",
  );
}
