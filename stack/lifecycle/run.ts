import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../contract/errors.ts";
import { hintFor, printedBy } from "./pulumi-errors.ts";

export interface OutputOptions {
  readonly onOutput: (text: string) => void;
  readonly onError: (text: string) => void;
  readonly onEvent: (event: EngineEvent) => void;
  readonly color: "always" | "never";
  /** False, because with secrets Pulumi would write a salt into the stack's file. */
  readonly showSecrets: false;
  readonly signal: AbortSignal;
}

interface Failure {
  readonly message: string;
  readonly hint: string;
}

/**
 * Runs an operation; at Ctrl+C, waits for Pulumi's state.
 * @throws UserError with the errors of the resources, or Pulumi's own, such as for a locked stack
 */
export async function runOperation<T>(
  { message, hint }: Failure,
  operation: (shown: OutputOptions) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const events: EngineEvent[] = [];
  const wait = () => undefined;
  const end = () => ended.abort();
  process.on("SIGINT", wait).on("SIGTERM", end).on("SIGHUP", end);
  try {
    return await operation({
      onOutput: (text) => process.stdout.write(text.replace(REMOVAL_NOTE, "")),
      onError: (text) => process.stderr.write(text),
      onEvent: (event) => events.push(event),
      color: process.stdout.isTTY ? "always" : "never",
      showSecrets: false,
      signal: ended.signal,
    });
  } catch (error) {
    const errors = events.flatMap(errorOf);
    if (errors.length === 0) errors.push(printedBy(error as Error));
    throw new UserError([`${message}:`, ...errors].join("\n"), hintFor(errors.join("\n"), hint));
  } finally {
    process.off("SIGINT", wait).off("SIGTERM", end).off("SIGHUP", end);
  }
}

/** Pulumi's note after a deletion. Its command would make the data that `down` keeps unreachable. */
const REMOVAL_NOTE = /^The resources in the stack have been deleted,.*\n.*`pulumi stack rm .*\n?/m;

/** Returns a resource's error; of a failed command its output, without the text of the command. */
function errorOf({ diagnosticEvent: event }: EngineEvent): string[] {
  if (event?.severity !== "error") return [];
  const text = event.message.replace(COLOURS, "").replace(COMMAND, "").trim();
  return text === "" || text === "update failed" ? [] : [text];
}

// Pulumi marks colours as <{%…%}>.
const COLOURS = /<\{%[^%]*%\}>/g;
const COMMAND = /^exit status \d+: running "(?:[^"\\]|\\.)*":\n/;
