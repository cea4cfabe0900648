import { DatabaseError, UserError } from "../../contract/errors.ts";
import { layerOf } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { withLease } from "../batch/lease.ts";
import { type DdlFile, ddlFiles, type Tier } from "../sql.ts";
import { applyComments } from "./comments.ts";
import type { Difference } from "./compare.ts";
import { moveInternals } from "./move-internals.ts";
import { copyTables, findDifferences, refuseInconsistentTables } from "./replicas.ts";

export interface DdlResult {
  readonly created: number;
  readonly replaced: number;
}

/** Lists the files of a tier: those of `all`, and its own. */
export const ddlFilesOf = (tier: Tier): DdlFile[] =>
  ddlFiles().filter(({ tiers }) => tiers.includes("all") || tiers.includes(tier));

/** Applies the DDL files, except to changed tables: replacing a table would lose its rows. */
export async function applyDdl(db: Database, tier: Tier): Promise<DdlResult> {
  refuseKafkaEngine(db, tier);
  await applyLeases(db);
  return withLease(db, "ddl", async ({ db: held }) => {
    await copyTables(held);
    await moveInternals(held);
    const differences = await findDifferences(held, tier);
    const lacking = new Set(differences.filter(lacksColumns).map(({ object }) => layerOf(object)));
    const replaceable = objectsOf(
      differences.filter(
        (difference) =>
          difference.what !== "missing" &&
          holdsNoRows(difference) &&
          !lacking.has(layerOf(difference.object)),
      ),
    );
    for (const object of replaceable) await held.run(`DROP TABLE IF EXISTS ${object} SYNC`);
    for (const file of ddlFilesOf(tier)) await applyFile(held, file);
    await applyComments(held);
    const created = objectsOf(differences.filter(({ what }) => what === "missing"));
    return { created: created.size, replaced: replaceable.size };
  });
}

/** Of a cluster, several replicas may differ in one object. */
const objectsOf = (differences: readonly Difference[]): ReadonlySet<string> =>
  new Set(differences.map(({ object }) => object));

/** Refuses the Kafka engine on a cluster, whose replicas may get its messages in another order. */
function refuseKafkaEngine({ cluster }: Database, tier: Tier): void {
  if (cluster === undefined || tier !== "broker") return;
  throw new UserError(
    `The tier broker cannot be used on the cluster ${cluster}. Allowed: service, all`,
    "use --tier service (DDL_TIER=service) and run `pipeline ingest`",
  );
}

/** Creates the lease tables, because everything else is created and dropped under a lease. */
export async function applyLeases(db: Database): Promise<void> {
  await refuseInconsistentTables(db);
  await applyPath(db, "ddl/00_databases.sql");
  await copyTables(db, "stg.lease");
  await applyPath(db, "ddl/10_stg/02_lease.sql");
  const loads = await db.rows(
    "SELECT 1 FROM system.tables WHERE database = 'ods' AND name = 'load_range'",
  );
  if (loads.length > 0) await db.run(KEEP_NUMBERS);
}

async function applyPath(db: Database, path: string): Promise<void> {
  for (const file of ddlFiles().filter((one) => one.path === path)) await applyFile(db, file);
}

/** Reserves the load numbers that an earlier version assigned without leases. */
const KEEP_NUMBERS = `
  INSERT INTO stg.lease
  SELECT max(load_id), 'earlier loads', '', now64(6), now64(6) FROM ods.load_range
  HAVING max(load_id) > (SELECT max(id) FROM stg.lease)`;

async function applyFile(db: Database, file: DdlFile): Promise<void> {
  for (const statement of file.statements) {
    try {
      await db.run(statement);
    } catch (error) {
      // Ignores a view whose table lacks columns: the caller reports both after the comparison.
      const isLacking = error instanceof DatabaseError && error.code === UNKNOWN_IDENTIFIER;
      if (!isLacking || !CREATES_VIEW.test(statement)) throw error;
    }
  }
}

const UNKNOWN_IDENTIFIER = 47;
const CREATES_VIEW = /^CREATE VIEW /m;

const lacksColumns = (difference: Difference): boolean =>
  !holdsNoRows(difference) && /\bno column /.test(difference.what);

/** True for views and for the queues of stg, which differ between tiers. */
const holdsNoRows = ({ object, engine }: Difference): boolean =>
  isView(engine) || /^stg\.\w+_queue$/.test(object);

export const isView = (engine: string): boolean =>
  engine === "View" || engine === "MaterializedView";
