/**
 * A mistake of the user or a condition the user can cure. The CLI prints it without a stack trace.
 * The message names the thing, the bad value and what is allowed; `next` is the command that helps.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly next: string | undefined;

  constructor(message: string, next?: string) {
    super(message);
    this.next = next;
  }
}

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
