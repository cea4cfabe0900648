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
    /passphrase/i.test(printed) ? PASSPHRASE_HINT : BACKEND_HINT,
  );

const PASSPHRASE_HINT =
  "set PULUMI_CONFIG_PASSPHRASE to the passphrase that the stack was created with, or unset it if make created the stack; if it is lost, remove encryptionsalt and the values with secure from the stack's file";

const BACKEND_HINT =
  "check PULUMI_BACKEND_URL, or the backend that pulumi whoami --verbose prints, then retry";

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
