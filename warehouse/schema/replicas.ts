import { UserError } from "../../contract/errors.ts";
import { DATABASES } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import type { Tier } from "../sql.ts";
import { compareSchema, type Difference } from "./compare.ts";
import {
  ofAllReplicas,
  REPLICA,
  readReplicas,
  readSnapshot,
  type SchemaObject,
} from "./snapshot.ts";

/** Compares the database with the DDL files, each replica of a cluster by itself. */
export async function findDifferences(db: Database, tier: Tier): Promise<Difference[]> {
  const { cluster } = db;
  if (cluster === undefined) return compareSchema(await readSnapshot(db), tier);
  const found = await readReplicas(db, cluster);
  const replicas = await replicaNames(db, cluster);
  return [
    ...replicas.flatMap((replica) => differencesOf(found.get(replica) ?? [], tier, replica)),
    ...(await findSplitTables(db, cluster)).filter(({ what }) => what !== MISSING),
  ];
}

const differencesOf = (live: readonly SchemaObject[], tier: Tier, replica: string): Difference[] =>
  compareSchema(live, tier).map((difference) => ({ ...difference, replica }));

/** Refuses tables whose rows are not the same on every replica. */
export async function refuseSplitTables(db: Database): Promise<void> {
  if (db.cluster === undefined) return;
  const split = await findSplitTables(db, db.cluster);
  const [first, ...more] = split.filter(({ what }) => what !== MISSING);
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
  const split = await findSplitTables(db, cluster);
  const missing = new Set(split.filter(({ what }) => what === MISSING).map((one) => one.object));
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

const MISSING = "missing, but other replicas have it";

interface Placed {
  readonly replica: string;
  readonly object: string;
  readonly engine: string;
  readonly uuid: string;
}

/** Finds tables that are not the same table on every replica. */
async function findSplitTables(db: Database, cluster: string): Promise<Difference[]> {
  const tables = await db.rows<Placed>(
    `SELECT ${REPLICA} AS replica, concat(database, '.', name) AS object, engine, toString(uuid) AS uuid
     FROM ${ofAllReplicas(cluster, "system.tables")}
     WHERE database IN {databases:Array(String)} AND endsWith(engine, 'MergeTree')
     ORDER BY object, replica`,
    { databases: DATABASES },
  );
  const replicas = await replicaNames(db, cluster);
  return [...Map.groupBy(tables, ({ object }) => object).values()].flatMap((placed) =>
    replicas.flatMap((replica) => splitOf(placed, replica)),
  );
}

function splitOf(placed: readonly Placed[], replica: string): Difference[] {
  const [first] = placed;
  const here = placed.find((one) => one.replica === replica);
  if (!first) return [];
  const { object, engine, uuid } = here ?? first;
  if (!/^(Replicated|Shared)/.test(engine)) {
    return [{ object, engine, what: `engine ${engine} is not replicated`, replica }];
  }
  if (here && uuid === first.uuid) return [];
  const what = here ? `another table than on ${first.replica}, with other rows` : MISSING;
  return [{ object, engine, what, replica }];
}

/** Reads the macro `replica` of each server. @throws UserError if two have the same */
async function replicaNames(db: Database, cluster: string): Promise<string[]> {
  const rows = await db.rows<{ replica: string }>(
    `SELECT ${REPLICA} AS replica FROM ${ofAllReplicas(cluster, "system.one")} ORDER BY replica`,
  );
  const names = rows.map(({ replica }) => replica);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return names;
  throw new UserError(
    `Two servers of the cluster ${cluster} have the macro replica = ${twice}`,
    "give each its own in the server's configuration, below macros, and restart it",
  );
}
