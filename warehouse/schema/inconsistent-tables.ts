import { UserError } from "../../contract/errors.ts";
import { DATABASES } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import type { Difference } from "./compare.ts";
import { ofAllReplicas, REPLICA } from "./snapshot.ts";
import { isReplicated } from "./storage.ts";

export const MISSING = "missing, but other replicas have it";

interface Placed {
  readonly replica: string;
  readonly object: string;
  readonly engine: string;
  readonly uuid: string;
}

interface Counted {
  readonly replica: string;
  readonly object: string;
  readonly engine: string;
  readonly total: number;
}

/** Finds tables that are not the same table on every replica, or that Keeper counts differently. */
export async function findInconsistentTables(db: Database, cluster: string): Promise<Difference[]> {
  const tables = await db.rows<Placed>(
    `SELECT ${REPLICA} AS replica, concat(database, '.', name) AS object, engine, toString(uuid) AS uuid
     FROM ${ofAllReplicas(cluster, "system.tables")}
     WHERE database IN {databases:Array(String)} AND endsWith(engine, 'MergeTree')
     ORDER BY object, replica`,
    { databases: DATABASES },
  );
  const replicas = await replicaNames(db, cluster);
  const miscounted = await findMiscounted(db, cluster, replicas.length);
  return [...Map.groupBy(tables, ({ object }) => object).values()].flatMap((placed) => {
    const differing = replicas.flatMap((replica) => inconsistencyOf(placed, replica));
    const counts = miscounted.filter(({ object }) => object === placed[0]?.object);
    return differing.length > 0 ? differing : counts;
  });
}

/** Finds tables of which Keeper counts more or fewer replicas than the cluster has. */
async function findMiscounted(
  db: Database,
  cluster: string,
  replicas: number,
): Promise<Difference[]> {
  const rows = await db.rows<Counted>(
    `SELECT ${REPLICA} AS replica, concat(database, '.', table) AS object, engine, total_replicas AS total
     FROM ${ofAllReplicas(cluster, "system.replicas")}
     WHERE database IN {databases:Array(String)} AND startsWith(engine, 'Replicated')
       AND total != {replicas:UInt32}
     ORDER BY object, replica`,
    { databases: DATABASES, replicas },
  );
  return rows.map(({ total, ...table }) => ({
    ...table,
    what: `Keeper counts ${total} replicas, the cluster has ${replicas}`,
  }));
}

function inconsistencyOf(placed: readonly Placed[], replica: string): Difference[] {
  const [first] = placed;
  const here = placed.find((one) => one.replica === replica);
  if (!first) return [];
  const { object, engine, uuid } = here ?? first;
  if (!isReplicated(engine)) {
    return [{ object, engine, what: `engine ${engine} is not replicated`, replica }];
  }
  if (here && uuid === first.uuid) return [];
  const what = here ? `another table than on ${first.replica}, with other rows` : MISSING;
  return [{ object, engine, what, replica }];
}

/** Reads the macro `replica` of each server. @throws UserError if two have the same */
export async function replicaNames(db: Database, cluster: string): Promise<string[]> {
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
