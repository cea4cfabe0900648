import { createHmac } from "node:crypto";
import { requireSecret } from "../secrets.ts";
import type { PlanContext } from "./context.ts";

/**
 * Short digest of content with secrets in it, which a service reads only at its start. Labels are
 * shown to everyone who may inspect a container, and a password that a person chose could be guessed
 * from its plain digest: this one tells nothing without the stack's own keys.
 */
export const secretDigest = (context: PlanContext, content: string): string =>
  createHmac("sha256", keyOf(context))
    .update(`${context.names.stack}\0${content}`)
    .digest("hex")
    .slice(0, 16);

/** Of two secrets that are always there, that nobody logs in with and that no command changes. */
function keyOf({ secrets }: PlanContext): string {
  const names = ["schedulerFernetKey", "schedulerWebKey"] as const;
  return names.map((name) => requireSecret(secrets, name, "A digest of secrets")).join("\n");
}
