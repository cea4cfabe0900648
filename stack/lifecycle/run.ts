import { ConcurrentUpdateError, type Stack } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../contract/errors.ts";

export interface OutputOptions {
  readonly onOutput: (text: string) => void;
  readonly onError: (text: string) => void;
  readonly color: "always" | "never";
  /** False, because with secrets Pulumi would write a salt into a committed configuration. */
  readonly showSecrets: false;
  readonly signal: AbortSignal;
}

/** Runs an operation; at Ctrl+C, waits for Pulumi's state. @throws UserError if the stack is locked */
export async function runOperation<T>(
  { name }: Pick<Stack, "name">,
  operation: (shown: OutputOptions) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const wait = () => undefined;
  const end = () => ended.abort();
  process.on("SIGINT", wait).on("SIGTERM", end).on("SIGHUP", end);
  try {
    return await operation({
      onOutput: (text) => process.stdout.write(text),
      onError: (text) => process.stderr.write(text),
      color: process.stdout.isTTY ? "always" : "never",
      showSecrets: false,
      signal: ended.signal,
    });
  } catch (error) {
    throw error instanceof ConcurrentUpdateError ? locked(name, error) : error;
  } finally {
    process.off("SIGINT", wait).off("SIGTERM", end).off("SIGHUP", end);
  }
}

/** Returns an error with the holder in Pulumi's words: `created by user@host (pid 123) at …`. */
function locked(stack: string, { message }: ConcurrentUpdateError): UserError {
  const [holder = ""] = /created by .*/.exec(message) ?? [];
  return new UserError(
    `Another command works on the stack ${stack}: its lock was ${holder}`,
    `wait until it ends; if it was killed, run eval "$(make -s env STACK=${stack})" && pulumi cancel --stack ${stack}`,
  );
}
