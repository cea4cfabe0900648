import { DATABASES } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { applyDdl, ddlFilesOf } from "./ddl.ts";

/** Creates what is missing in the schema of an embedded engine; a stack creates its own schema. */
export async function ensureSchema(db: Database): Promise<void> {
  if (db.directory === undefined) return;
  const wanted = [...DATABASES, lastObject()];
  const found = await db.rows(
    `SELECT name FROM system.databases WHERE name IN {wanted:Array(String)}
     UNION ALL
     SELECT concat(database, '.', name) AS object FROM system.tables
     WHERE object IN {wanted:Array(String)}`,
    { wanted },
  );
  if (found.length < wanted.length) await applyDdl(db, "all");
}

/** Last object that the DDL files create: without it, an earlier run was interrupted. */
function lastObject(): string {
  const text = ddlFilesOf("all").at(-1)?.statements.at(-1) ?? "";
  const [, object] = /^CREATE \w+ IF NOT EXISTS (\S+)/m.exec(text) ?? [];
  if (object === undefined) throw new Error(`The last DDL statement creates nothing: ${text}`);
  return object;
}
