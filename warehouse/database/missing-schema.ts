import { DatabaseError, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { hintToRun } from "./command.ts";

export const UNKNOWN_TABLE = 60;
const UNKNOWN_DATABASE = 81;

export function explainMissingSchema(error: unknown, what: string, db: Database): unknown {
  const isMissing =
    error instanceof DatabaseError &&
    (error.code === UNKNOWN_TABLE || error.code === UNKNOWN_DATABASE);
  if (!isMissing) return error;
  return new UserError(
    `${what}: the schema is missing or incomplete: ${error.message}`,
    hintToRun(db, "ddl") +
      (db.directory === undefined ? " (in Airflow: run the DAG ddl_init first)" : ""),
  );
}
