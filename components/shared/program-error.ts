import * as pulumi from "@pulumi/pulumi";
import { type UserError, withHint } from "../../contract/errors.ts";

/** Returns an error that Pulumi prints without a stack trace, also if it ends a resource. */
export function programError(error: UserError): pulumi.RunError {
  const shown = new pulumi.RunError(withHint(error));
  shown.stack = shown.message;
  return shown;
}
