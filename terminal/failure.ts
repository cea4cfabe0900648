import { DatabaseError, UserError, withHint } from "../contract/errors.ts";
import { fileFailure } from "../contract/files.ts";

/** Prints an error and returns the exit code. @param command such as `demo` */
export function reportFailure(error: unknown, command = ""): number {
  process.stderr.write(`${describe(error, command)}\n`);
  return error instanceof UserError ? error.exitCode : 1;
}

function describe(error: unknown, command: string): string {
  const known = error instanceof UserError ? error : fileFailure(error);
  if (known) return `error: ${withHint(known)}`;
  if (error instanceof DatabaseError && isFullDisk(error)) {
    return `error: the disk of ${error.place ?? "the database"} is full: ${error.message}\n  hint: free some space, then retry: ${AFTER_FULL_DISK[command] ?? "the command resumes safely"}`;
  }
  if (error instanceof DatabaseError) {
    return `error: the database refused a statement: ${error.message}\n  hint: retry; if the error returns, report it as a bug`;
  }
  return describeBug(error);
}

/** Variable that adds the stack trace to an unexpected error. */
const DEBUG = "EVENT_PIPELINE_DEBUG";

function describeBug(error: unknown): string {
  if (process.env[DEBUG] === "1" && error instanceof Error) return error.stack ?? error.message;
  return `error: unexpected: ${error}\n  hint: set ${DEBUG}=1 to print the stack trace, retry, and report it as a bug`;
}

/** Effect of a retry, for commands that do not resume. */
const AFTER_FULL_DISK: Readonly<Record<string, string>> = {
  demo: "the command starts over",
  data: "the command loads all data again, in a new epoch",
};

/** True if the engine's reservation or a write failed for lack of space. */
const isFullDisk = ({ code, message }: DatabaseError): boolean =>
  code === NOT_ENOUGH_SPACE || message.includes("No space left on device");

const NOT_ENOUGH_SPACE = 243;

const LACKS = /^Cannot find (?:module|package) '([^']+)'/;

/** True for missing code or packages; images contain only the parts of some commands. */
export const isMissingPart = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";

export const explainMissingPart = ({ message }: Error, command: string): UserError =>
  new UserError(
    `pipeline ${command} is not part of this installation, which lacks ${LACKS.exec(message)?.[1] ?? message}`,
    "run the command in a checkout of the project, after npm ci",
  );
