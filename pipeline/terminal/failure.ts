import { DatabaseError, UserError } from "../../contract/errors.ts";

/** Prints what went wrong to stderr, and the next command where one is known. Returns the exit code. */
export function reportFailure(error: unknown): number {
  process.stderr.write(`${describe(error)}\n`);
  return 1;
}

function describe(error: unknown): string {
  if (error instanceof UserError) {
    return `error: ${error.message}${error.next === undefined ? "" : `\n  next: ${error.next}`}`;
  }
  if (error instanceof DatabaseError && error.message.includes("No space left on device")) {
    return `error: the disk is full: ${error.message}\n  next: free some space, then run the command again: it continues safely`;
  }
  if (error instanceof DatabaseError)
    return `error: the database refused a statement: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
