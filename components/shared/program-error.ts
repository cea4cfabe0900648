import * as pulumi from "@pulumi/pulumi";
import { UserError, withHint } from "../../contract/errors.ts";

/** Returns an error that Pulumi prints as it is, also if it ends resources. */
export function programError(error: UserError): pulumi.RunError {
  const message = withHint(error);
  const shown = new pulumi.RunError(message);
  // Pulumi would add the name of each property that waits for a failed one, and a stack trace.
  Object.defineProperty(shown, "message", { get: () => message, set: () => undefined });
  shown.stack = message;
  return shown;
}

/** Calls a function, and turns its user errors into errors that Pulumi prints as they are. */
export function withProgramErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof UserError ? programError(error) : error;
  }
}
