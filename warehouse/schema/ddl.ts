import type { Database } from "../../contract/ports.ts";
import { withLease } from "../batch/lease.ts";
import { type DdlFile, ddlFiles, type Tier } from "../sql.ts";
import { applyComments } from "./comments.ts";
import { compareSchema } from "./compare.ts";
import { readSnapshot } from "./snapshot.ts";

export interface Applied {
  readonly created: number;
  readonly replaced: number;
}

/** Files of a tier: `all` for the embedded engine, `broker` adds what consumes Kafka. */
export const ddlFilesOf = (tier: Tier): DdlFile[] =>
  ddlFiles().filter((file) => file.tier === "all" || tier === "broker");

/** Changed tables stay as they are, because replacing them would lose rows. */
export async function applyDdl(db: Database, tier: Tier): Promise<Applied> {
  await applyLeases(db);
  return withLease(db, "ddl", async ({ db: held }) => {
    const differences = compareSchema(await readSnapshot(held), tier);
    const views = differences.filter(({ what, engine }) => what !== "missing" && isView(engine));
    for (const { object } of views) await held.run(`DROP TABLE ${object} SYNC`);
    for (const file of ddlFilesOf(tier)) await applyFile(held, file);
    await applyComments(held);
    const created = differences.filter(({ what }) => what === "missing").length;
    return { created, replaced: views.length };
  });
}

/** Everything else is created and dropped under a lease. */
export async function applyLeases(db: Database): Promise<void> {
  const paths = ["ddl/00_databases.sql", LEASE_TABLE];
  for (const file of ddlFiles().filter(({ path }) => paths.includes(path))) {
    await applyFile(db, file);
  }
  const loads = await db.rows(
    "SELECT 1 FROM system.tables WHERE database = 'ods' AND name = 'load_range'",
  );
  if (loads.length > 0) await db.run(KEEP_NUMBERS);
}

const LEASE_TABLE = "ddl/10_stg/02_lease.sql";

/** Skips the load numbers that an earlier version assigned without leases. */
const KEEP_NUMBERS = `
  INSERT INTO stg.lease
  SELECT max(load_id), 'earlier loads', '', now64(6), now64(6) FROM ods.load_range
  HAVING max(load_id) > (SELECT max(id) FROM stg.lease)`;

async function applyFile(db: Database, file: DdlFile): Promise<void> {
  for (const statement of file.statements) await db.run(statement);
}

export const isView = (engine: string): boolean =>
  engine === "View" || engine === "MaterializedView";
