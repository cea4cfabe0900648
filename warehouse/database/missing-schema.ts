import { DatabaseError, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { hintToRun } from "./command.ts";

export const UNKNOWN_TABLE = 60;
const UNKNOWN_FUNCTION = 46;
const UNKNOWN_IDENTIFIER = 47;
const UNKNOWN_DATABASE = 81;
const NO_SUCH_COLUMN = 16;
const OTHER_NUMBER_OF_COLUMNS = 20;
const CODES = [
  UNKNOWN_TABLE,
  UNKNOWN_FUNCTION,
  UNKNOWN_IDENTIFIER,
  UNKNOWN_DATABASE,
  NO_SUCH_COLUMN,
  OTHER_NUMBER_OF_COLUMNS,
];

export function explainMissingSchema(error: unknown, what: string, db: Database): unknown {
  const isMissing = error instanceof DatabaseError && CODES.some((code) => code === error.code);
  if (!isMissing) return error;
  return new UserError(
    `${what}: the schema is missing, incomplete or of another version: ${error.message}`,
    hintToRun(db, "ddl") +
      (db.directory === undefined ? " (in Airflow: run the DAG ddl_init first)" : ""),
  );
}
