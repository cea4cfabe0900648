/**
 * A mistake of the user or a condition the user can change. The CLI prints it without a stack trace.
 * The message names the thing, the bad value and what is allowed; `hint` is the command that helps.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly hint: string | undefined;
  /** Of the process that ends with it. */
  readonly exitCode: number = 1;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** What went wrong and, where one is known, the command that helps: in the form of every message. */
export const withHint = ({ message, hint }: Pick<UserError, "message" | "hint">): string =>
  hint === undefined ? message : `${message}\n  hint: ${hint}`;

/** Nothing is missing, and something has not been done yet: exit code 3. */
export class IncompleteError extends UserError {
  override readonly exitCode = 3;
}

/** A check could not be made, so nothing is known: exit code 2. */
export class UncheckedError extends UserError {
  override readonly exitCode = 2;
}

/** The database does not answer: it restarts, say, or was never started. */
export class DatabaseAway extends UserError {}

/** The database answers, and the marts have not been created in it. */
export class MartsMissing extends UserError {}

/** A statement the database refused: its own text and error code. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** ClickHouse's error code, e.g. 60 for an unknown table. */
  readonly code: number | undefined;

  constructor(message: string, code?: number, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
