import { CommandError } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../contract/errors.ts";

/** Runs a Pulumi command. @throws UserError with Pulumi's output */
export async function withPulumiErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const printed = printedBy(error);
    throw new UserError(
      `Pulumi refused a command: ${printed}`,
      /passphrase/i.test(printed) ? PASSPHRASE_HINT : BACKEND_HINT,
    );
  }
}

const PASSPHRASE_HINT =
  "set PULUMI_CONFIG_PASSPHRASE to the passphrase that the stack was created with, or unset it if make created the stack; if it is lost, remove encryptionsalt and the values with secure from the stack's file";

const BACKEND_HINT =
  "check PULUMI_BACKEND_URL, or the backend that pulumi whoami --verbose prints, then retry";

/** Extracts stderr, which CommandError does not expose. */
export function printedBy({ message }: Pick<CommandError, "message">): string {
  const [, stderr = message] = message.split("\n stderr: ");
  const [text = stderr] = stderr.split("\n err?: ");
  const start = text.search(/^error: /m);
  return text
    .slice(Math.max(start, 0))
    .trim()
    .replace(/^error: /, "");
}
