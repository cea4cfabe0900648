import * as pulumi from "@pulumi/pulumi";
import { type UserError, withHint } from "../../contract/errors.ts";

/** Returns an error that Pulumi prints as it is, also if it ends resources. */
export function programError(error: UserError): pulumi.RunError {
  const message = withHint(error);
  const shown = new pulumi.RunError(message);
  // Pulumi would add the name of each property that waits for a failed one, and a stack trace.
  Object.defineProperty(shown, "message", { get: () => message, set: () => undefined });
  shown.stack = message;
  return shown;
}
