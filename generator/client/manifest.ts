import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import { type Manifest, manifestSchema } from "../../contract/manifest.ts";
import { MANIFEST_TOPIC } from "../../contract/topics.ts";
import { readLatest } from "../../kafka/read.ts";

/** Reads the manifest of an instance. @throws UserError if no history is finished */
export async function readManifest(admin: Admin, instance: string): Promise<Manifest> {
  const stored = await readLatest(admin, MANIFEST_TOPIC, instance);
  const found = manifestSchema.safeParse(JSON.parse(stored?.value?.toString() || "null"));
  if (found.success) return found.data;
  throw new UserError(
    `Instance ${instance} has no manifest, because no history is finished`,
    "run pipeline generator backfill, or pipeline generator import",
  );
}
