import type { Database } from "../../contract/ports.ts";
import { withLock } from "../batch/lock.ts";
import { type DdlFile, ddlFiles, type Tier } from "../sql.ts";
import { compareSchema } from "./compare.ts";
import { readSnapshot } from "./snapshot.ts";

export interface Applied {
  readonly created: number;
  readonly replaced: number;
}

/** Files of a tier: `all` for the embedded engine, `broker` adds what consumes Kafka. */
export const ddlFilesOf = (tier: Tier): DdlFile[] =>
  ddlFiles().filter((file) => file.tier === "all" || tier === "broker");

/**
 * Creates what is missing and replaces views that differ, while no step of the batch process runs.
 * Tables that differ are left as they are: their rows are worth more than their shape.
 */
export async function applyDdl(db: Database, tier: Tier): Promise<Applied> {
  const [databases, ...files] = ddlFilesOf(tier);
  if (databases) await applyFile(db, databases);
  return withLock(db, "ddl", async () => {
    const differences = compareSchema(await readSnapshot(db), tier);
    const views = differences.filter(({ what, engine }) => what !== "missing" && isView(engine));
    for (const { object } of views) await db.run(`DROP TABLE ${object} SYNC`);
    for (const file of files) await applyFile(db, file);
    const created = differences.filter(({ what }) => what === "missing").length;
    return { created, replaced: views.length };
  });
}

async function applyFile(db: Database, file: DdlFile): Promise<void> {
  for (const statement of file.statements) await db.run(statement);
}

export const isView = (engine: string): boolean =>
  engine === "View" || engine === "MaterializedView";
