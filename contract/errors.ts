import { callable } from "./command-call.ts";

/** Error that the user can correct, printed without a stack trace. `hint` is one command or action. */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly hint: string | undefined;
  readonly exitCode: number = 1;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export const withHint = ({ message, hint }: Pick<UserError, "message" | "hint">): string =>
  hint === undefined ? message : `${message}\n  hint: ${callable(hint)}`;

/** Result of a check when work is still pending but no event is lost: exit code 3. */
export class IncompleteError extends UserError {
  override readonly exitCode = 3;
}

/** Failure to run a check, which therefore has no result: exit code 2. */
export class UncheckedError extends UserError {
  override readonly exitCode = 2;
}

/** Error for a database that does not answer: it restarts or was never started. */
export class DatabaseUnavailable extends UserError {}

/** Error for a database that answers but has no marts. */
export class MartsMissing extends UserError {}

/** Rejection of a statement by the database, with its text and error code. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** ClickHouse's error code, e.g. 60 for an unknown table. */
  readonly code: number | undefined;
  /** Directory or address of the database. */
  readonly place: string | undefined;

  constructor(message: string, code?: number, cause?: unknown, place?: string) {
    super(message, { cause });
    this.code = code;
    this.place = place;
  }
}
