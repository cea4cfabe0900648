import { DatabaseError, UserError, withNext } from "../../contract/errors.ts";

/** Prints what went wrong to stderr, and the next command where one is known. Returns the exit code. */
export function reportFailure(error: unknown): number {
  process.stderr.write(`${describe(error)}\n`);
  return error instanceof UserError ? error.exitCode : 1;
}

function describe(error: unknown): string {
  if (error instanceof UserError) return `error: ${withNext(error)}`;
  if (error instanceof DatabaseError && isFullDisk(error)) {
    return `error: the disk is full: ${error.message}\n  next: free some space, then run the command again: it continues safely`;
  }
  if (error instanceof DatabaseError)
    return `error: the database refused a statement: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The engine's own reservation fails first; the system's error comes where it did not foresee it. */
const isFullDisk = ({ code, message }: DatabaseError): boolean =>
  code === NOT_ENOUGH_SPACE || message.includes("No space left on device");

const NOT_ENOUGH_SPACE = 243;
