import { UserError } from "../../contract/errors.ts";
import { LAYERS, layerOf } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { withLease } from "../batch/lease.ts";
import { commandOn, hintToRun } from "../database/command.ts";
import { sideBySide } from "../database/side-by-side.ts";
import { type DdlFile, ddlFiles, type Tier } from "../ddl-files.ts";
import { FUNCTION } from "../declared.ts";
import { planAdaptations } from "./adaptation.ts";
import { applyComments } from "./comments.ts";
import { type Difference, findDifferences } from "./differences.ts";

export interface DdlResult {
  readonly created: number;
  readonly replaced: number;
  /** Number of tables with new columns. */
  readonly changed: number;
}

/** Lists the files of a tier: those of `all`, and its own. */
export const ddlFilesOf = (tier: Tier): DdlFile[] =>
  ddlFiles().filter(({ tiers }) => tiers.includes("all") || tiers.includes(tier));

/**
 * Applies the DDL files: creates what is missing, replaces views, and gives tables their new columns.
 * @throws UserError, before any change, if a table differs in more
 */
export async function applyDdl(db: Database, tier: Tier): Promise<DdlResult> {
  await applyLeases(db);
  return withLease(db, "ddl", async ({ db: held }) => {
    const differences = await findDifferences(held, tier);
    const present = differences.filter(({ what }) => what !== "missing");
    const replaced = present.filter(holdsNoRows);
    const tables = present.filter((difference) => !holdsNoRows(difference));
    const { statements, refused } = await planAdaptations(held, tables);
    if (refused.length > 0) throw cannotChange(db, refused);
    for (const { object, engine } of replaced)
      if (engine !== FUNCTION) await held.run(`DROP TABLE IF EXISTS ${object} SYNC`);
    for (const statement of statements) await held.run(statement);
    await applyFiles(held, ddlFilesOf(tier));
    await applyComments(held);
    const created = differences.length - present.length;
    return { created, replaced: replaced.length, changed: statements.length };
  });
}

function cannotChange(db: Database, refused: readonly Difference[]): UserError {
  const what = refused.map(({ object, what }) => `${object}: ${what}`).join("; ");
  const layer = LAYERS.find((one) => refused.some(({ object }) => layerOf(object) === one)) ?? "dm";
  const command = `ddl --rebuild ${layer}`;
  return new UserError(
    `${db.label} has tables that ddl cannot change to what sql/ddl declares: ${what}. Nothing was changed`,
    layer === "stg"
      ? "change the tables of stg with ALTER as sql/ddl/10_stg says, because their rows cannot be computed again"
      : `${hintToRun(db, command, `pipeline ${command}`)}, then \`${commandOn(db, "transform")}\``,
  );
}

const LEASE_FILES = ["ddl/00_databases.sql", "ddl/10_stg/02_lease.sql"];

/** Creates the lease tables, because everything else is created and dropped under a lease. */
export async function applyLeases(db: Database): Promise<void> {
  const files = ddlFiles().filter(({ path }) => LEASE_FILES.includes(path));
  for (const { statements } of files) await runInOrder(db, statements);
}

async function applyFiles(db: Database, files: readonly DdlFile[]): Promise<void> {
  for (const stage of stagesOf(files))
    await sideBySide(stage.map((statements) => runInOrder(db, statements)));
}

/** Returns what runs side by side, stage by stage: most tables at once, then the files of one number. */
export function stagesOf(files: readonly DdlFile[]): (readonly string[])[][] {
  const others = files.filter(({ path }) => !LEASE_FILES.includes(path));
  const tables = others.flatMap(({ statements }) => statements.filter(namesColumns));
  const numbered = Map.groupBy(others, ({ path }) => path.slice(0, "ddl/40_dm/60".length));
  const rest = [...numbered.values()].map((group) =>
    group.map(({ statements }) => statements.filter((one) => !namesColumns(one))),
  );
  return [tables.map((table) => [table]), ...rest];
}

/** True for a table that needs only its database. */
const namesColumns = (statement: string): boolean =>
  /^CREATE TABLE IF NOT EXISTS \S+\n\(/m.test(statement);

async function runInOrder(db: Database, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await db.run(statement);
}

/** True for functions, views, tables that only feed views, and the queue of stg, which differs between tiers. */
const holdsNoRows = ({ object, engine }: Difference): boolean =>
  [FUNCTION, "View", "MaterializedView", "Null"].includes(engine) || object === "stg.queue";

/** Brings a workspace of an older version along; a stack has a command for it. */
export async function ensureSchema(db: Database): Promise<void> {
  if (db.directory === undefined) return;
  if ((await findDifferences(db, "all")).length > 0) await applyDdl(db, "all");
}
