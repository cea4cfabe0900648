import { hostname } from "node:os";
import { CommandError } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../contract/errors.ts";

/** Runs a Pulumi command. @throws UserError with Pulumi's output */
export async function withPulumiErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CommandError ? pulumiRefusal(printedBy(error)) : error;
  }
}

/** Returns the error for a refused command. @param printed what Pulumi printed */
export const pulumiRefusal = (printed: string): UserError =>
  new UserError(
    `Pulumi refused a command: ${withoutPrefix(printed)}`,
    hintFor(
      printed,
      "check PULUMI_BACKEND_URL, or the backend that pulumi whoami --verbose prints, then retry",
    ),
  );

/** Returns the hint for what Pulumi printed. @param otherwise hint for what this function does not know */
export function hintFor(printed: string, otherwise: string): string {
  if (/passphrase/i.test(printed)) return PASSPHRASE_HINT;
  const [, stack, host, pid] = LOCK.exec(printed) ?? [];
  if (!stack) return otherwise;
  const cancel = `npx pulumi cancel --yes --stack ${stack}`;
  if (host !== hostname())
    return `wait for the end of that command on ${host}; if it was killed, run ${cancel}`;
  return isRunning(Number(pid))
    ? `wait for the end of process ${pid}, then retry`
    : `process ${pid} was killed: run ${cancel}, then retry`;
}

const PASSPHRASE_HINT =
  "for a stack that make created, unset PULUMI_CONFIG_PASSPHRASE, or run export PULUMI_CONFIG_PASSPHRASE_FILE=.state/passphrase for plain pulumi; for another stack, set the passphrase that it was created with; make doctor checks the encryptionsalt in the stack's file";

/** Line of a lock: its file, named after the stack, and the process that took it. */
const LOCK = /\/([^/\s]+)\/[^/\s]+\.json\S*: created by \S+@(\S+) \(pid (\d+)\)/;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Extracts stderr, which CommandError does not expose. */
export function printedBy({ message }: Pick<CommandError, "message">): string {
  const [, stderr = message] = message.split("\n stderr: ");
  const [text = stderr] = stderr.split("\n err?: ");
  return withoutPrefix(text);
}

/** Returns the text from Pulumi's first error on. */
const withoutPrefix = (text: string): string =>
  text
    .slice(Math.max(text.search(/^error: /m), 0))
    .trim()
    .replace(/^error: /, "");
