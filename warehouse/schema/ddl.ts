import { DatabaseError } from "../../contract/errors.ts";
import { DATABASES, layerOf } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { withLease } from "../batch/lease.ts";
import { createdObject, type DdlFile, ddlFiles, type Tier } from "../sql.ts";
import { applyComments } from "./comments.ts";
import { type Difference, findDifferences } from "./differences.ts";

export interface DdlResult {
  readonly created: number;
  readonly replaced: number;
}

/** Lists the files of a tier: those of `all`, and its own. */
export const ddlFilesOf = (tier: Tier): DdlFile[] =>
  ddlFiles().filter(({ tiers }) => tiers.includes("all") || tiers.includes(tier));

/** Applies the DDL files, except to changed tables: replacing a table would lose its rows. */
export async function applyDdl(db: Database, tier: Tier): Promise<DdlResult> {
  await applyLeases(db);
  return withLease(db, "ddl", async ({ db: held }) => {
    const differences = await findDifferences(held, tier);
    const lacking = new Set(differences.filter(lacksColumns).map(({ object }) => layerOf(object)));
    const replaceable = differences.filter(
      (difference) =>
        difference.what !== "missing" &&
        holdsNoRows(difference) &&
        !lacking.has(layerOf(difference.object)),
    );
    for (const { object } of replaceable) await held.run(`DROP TABLE IF EXISTS ${object} SYNC`);
    for (const file of ddlFilesOf(tier)) await applyFile(held, file);
    await applyComments(held);
    const created = differences.filter(({ what }) => what === "missing");
    return { created: created.length, replaced: replaceable.length };
  });
}

/** Creates the lease tables, because everything else is created and dropped under a lease. */
export async function applyLeases(db: Database): Promise<void> {
  const paths = ["ddl/00_databases.sql", "ddl/10_stg/02_lease.sql"];
  for (const file of ddlFiles().filter(({ path }) => paths.includes(path))) {
    await applyFile(db, file);
  }
}

async function applyFile(db: Database, file: DdlFile): Promise<void> {
  for (const statement of file.statements) {
    try {
      await db.run(statement);
    } catch (error) {
      // Ignores a view whose table lacks columns: the caller reports both after the comparison.
      const isLacking = error instanceof DatabaseError && error.code === UNKNOWN_IDENTIFIER;
      if (!isLacking || !CREATES_VIEW.test(statement)) throw error;
      return;
    }
  }
}

const UNKNOWN_IDENTIFIER = 47;
const CREATES_VIEW = /^CREATE VIEW /m;

const lacksColumns = (difference: Difference): boolean =>
  !holdsNoRows(difference) && /\bno column /.test(difference.what);

/** True for views and for the queue of stg, which differs between tiers. */
const holdsNoRows = ({ object, engine }: Difference): boolean =>
  isView(engine) || object === "stg.queue";

const isView = (engine: string): boolean => engine === "View" || engine === "MaterializedView";

/** Creates what is missing in the schema of a workspace; a stack creates its own schema. */
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
  const objects = ddlFilesOf("all").flatMap(({ statements }) => statements.map(createdObject));
  const object = objects.findLast((created) => created !== undefined);
  if (object === undefined) throw new Error("The DDL of the tier `all` creates nothing");
  return object;
}
