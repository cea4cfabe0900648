/** A user's mistake, printed without a stack trace. `hint` is one command or action. */
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
  hint === undefined ? message : `${message}\n  hint: ${hint}`;

/** Nothing is missing, but something has not been done yet: exit code 3. */
export class IncompleteError extends UserError {
  override readonly exitCode = 3;
}

/** A check could not run, so nothing is known: exit code 2. */
export class UncheckedError extends UserError {
  override readonly exitCode = 2;
}

/** The database does not answer: it restarts or was never started. */
export class DatabaseUnavailable extends UserError {}

/** The database answers but lacks the marts. */
export class MartsMissing extends UserError {}

/** Rejection of a statement by the database, with its text and error code. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** ClickHouse's error code, e.g. 60 for an unknown table. */
  readonly code: number | undefined;

  constructor(message: string, code?: number, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
