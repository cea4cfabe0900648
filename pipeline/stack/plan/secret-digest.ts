import { createHmac } from "node:crypto";
import { requireSecret } from "../secrets.ts";
import type { PlanContext } from "./context.ts";

/**
 * Short digest of content with secrets in it, which a service reads only at its start. Labels are
 * shown to everyone who may inspect a container, and a password that a person chose could be guessed
 * from its plain digest: this one tells nothing without the stack's own key.
 */
export const secretDigest = (context: PlanContext, content: string): string =>
  createHmac("sha256", requireSecret(context.secrets, "digestKey", "A digest of secrets"))
    .update(`${context.names.stack}\0${content}`)
    .digest("hex")
    .slice(0, 16);
