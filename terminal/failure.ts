import { DatabaseError, UserError, withHint } from "../contract/errors.ts";
import { fileFailure } from "../contract/files.ts";

/** Returns the exit code. @param command the one that failed, such as `demo` */
export function reportFailure(error: unknown, command = ""): number {
  process.stderr.write(`${describe(error, command)}\n`);
  return error instanceof UserError ? error.exitCode : 1;
}

function describe(error: unknown, command: string): string {
  const known = error instanceof UserError ? error : fileFailure(error);
  if (known) return `error: ${withHint(known)}`;
  if (error instanceof DatabaseError && isFullDisk(error)) {
    return `error: the disk is full: ${error.message}\n  hint: free some space, then run the command again: ${AFTER_FULL_DISK[command] ?? "it continues safely"}`;
  }
  if (error instanceof DatabaseError)
    return `error: the database refused a statement: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Effect of a retry that does not continue the work. */
const AFTER_FULL_DISK: Readonly<Record<string, string>> = {
  demo: "it starts over",
  data: "it loads everything again, under a new epoch",
};

/** The engine's own reservation fails first; otherwise the system's error does. */
const isFullDisk = ({ code, message }: DatabaseError): boolean =>
  code === NOT_ENOUGH_SPACE || message.includes("No space left on device");

const NOT_ENOUGH_SPACE = 243;
