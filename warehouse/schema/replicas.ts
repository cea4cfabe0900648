import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { Tier } from "../sql.ts";
import { compareSchema, type Difference } from "./compare.ts";
import { findOwnDifferences, readDeclaredFor } from "./differences.ts";
import { findInconsistentTables, MISSING, replicaNames } from "./inconsistent-tables.ts";
import { ofAllReplicas, readReplicas } from "./snapshot.ts";

/** Compares the database with the DDL files, each replica of a cluster by itself. */
export async function findDifferences(db: Database, tier: Tier): Promise<Difference[]> {
  const { cluster } = db;
  if (cluster === undefined) return findOwnDifferences(db, tier);
  const found = await readReplicas(db, cluster);
  const declared = await readDeclaredFor(db);
  const replicas = await replicaNames(db, cluster);
  const differencesOf = (replica: string): Difference[] =>
    compareSchema(found.get(replica) ?? [], tier, declared).map((one) => ({ ...one, replica }));
  return [
    ...replicas.flatMap(differencesOf),
    ...(await findInconsistentTables(db, cluster)).filter(({ what }) => what !== MISSING),
  ];
}

/** Refuses tables whose rows are not the same on every replica. */
export async function refuseInconsistentTables(db: Database): Promise<void> {
  if (db.cluster === undefined) return;
  const inconsistent = await findInconsistentTables(db, db.cluster);
  const [first, ...more] = inconsistent.filter(({ what }) => what !== MISSING);
  if (!first) return;
  const others = more.length > 0 ? `, and ${more.length} more like it` : "";
  throw new UserError(
    `${first.object} on replica ${first.replica}: ${first.what}${others}. Nothing was changed`,
    "see docs/how-to/use-your-own-kafka-or-clickhouse.md#several-replicas",
  );
}

/**
 * Creates tables that only some replicas have on the others, with their UUID: `CREATE` without it
 * would make another table of the same name.
 */
export async function copyTables(db: Database, only?: string): Promise<void> {
  const { cluster } = db;
  if (cluster === undefined) return;
  const inconsistent = await findInconsistentTables(db, cluster);
  const missing = new Set(
    inconsistent.filter(({ what }) => what === MISSING).map((one) => one.object),
  );
  for (const object of missing) {
    if (only === undefined || object === only) await copyTable(db, cluster, object);
  }
}

async function copyTable(db: Database, cluster: string, object: string): Promise<void> {
  const [found] = await db.rows<{ definition: string }>(
    `SELECT create_table_query AS definition FROM ${ofAllReplicas(cluster, "system.tables")}
     WHERE concat(database, '.', name) = {object:String} LIMIT 1
     SETTINGS show_table_uuid_in_table_create_query_if_not_nil = 1`,
    { object },
  );
  if (!found) return;
  await db.run(found.definition.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"));
  // The new replica fetches the rows after the statement has ended.
  await db.run(`SYSTEM SYNC REPLICA ${object} LIGHTWEIGHT`);
}
