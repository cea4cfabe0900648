import type { Database } from "../../contract/ports.ts";
import { type DdlFile, ddlFiles, type Tier } from "../sql.ts";

/** Files of a tier: `all` for the embedded engine, `broker` adds what consumes Kafka. */
export const ddlFilesOf = (tier: Tier): DdlFile[] =>
  ddlFiles().filter((file) => file.tier === "all" || tier === "broker");

/** Creates what is missing; existing objects are left as they are. */
export async function applyDdl(
  db: Database,
  tier: Tier,
  onFile?: (path: string) => void,
): Promise<void> {
  for (const file of ddlFilesOf(tier)) {
    onFile?.(file.path);
    for (const statement of file.statements) await db.run(statement);
  }
}
