import type { ClickHouseSettings } from "@clickhouse/client";
import { UserError } from "../../contract/errors.ts";

/** A statement that changes the definition of one object, up to the object's name. */
const DEFINITION = new RegExp(
  "^(CREATE (?:DATABASE|TABLE|VIEW|MATERIALIZED VIEW)|DROP (?:DATABASE|TABLE)|DETACH TABLE|ATTACH TABLE" +
    "|ALTER TABLE(?= \\S+ (?:MODIFY SETTING|MODIFY COMMENT|COMMENT COLUMN)\\b))" +
    "( IF (?:NOT )?EXISTS)? (\\S+)( UUID '[0-9a-f-]+')?",
);
const EXCHANGE = /^(?:EXCHANGE TABLES|RENAME TABLE) [\w.]+ (?:AND|TO) [\w.]+/;
const SYNC = /^SYSTEM SYNC REPLICA/;
const ENGINE = /^ENGINE = (?=\w*MergeTree\b)/m;
/** Tables of the server that list only what its own replica does. */
const OF_ONE_REPLICA = /\bsystem\.processes\b/g;

/**
 * Returns the statement as a cluster needs it: definitions change on every replica, tables are
 * replicated, and running statements of every replica are listed. Others stay as they are: a
 * replicated table passes on what it stores, deletes, truncates and moves.
 */
export function onCluster(statement: string, cluster: string): string {
  const place = ` ON CLUSTER '${cluster}'`;
  const text = statement.trimStart().replace(/^(?:--.*\n\s*)*/, "");
  const comments = statement.slice(0, statement.length - text.length);
  const changed = isDefinition(text)
    ? text
        .replace(DEFINITION, (found) => found + place)
        .replace(EXCHANGE, (found) => found + place)
        .replace(SYNC, (found) => found + place)
        .replace(ENGINE, "ENGINE = Replicated")
    : text.replace(OF_ONE_REPLICA, `clusterAllReplicas('${cluster}', $&)`);
  return comments + changed;
}

const isDefinition = (text: string): boolean =>
  [DEFINITION, EXCHANGE, SYNC].some((form) => text.search(form) === 0);

/**
 * Makes a server obey `insert_deduplicate` and tokens. `deduplicate_insert_select` from 26.1 and
 * `deduplicate_insert` from 26.2 on override them, which older servers do not know, so they cannot be set.
 */
export const OBEY_DEDUPLICATION: ClickHouseSettings = { compatibility: "25.8" };

/**
 * Settings with which a statement ends only when every replica has its rows, so that the next one
 * may run on any of them.
 */
export const clusterSettings = (replicas: number): ClickHouseSettings => ({
  insert_quorum: `${replicas}`,
  insert_quorum_parallel: 1,
  // Equal blocks are not duplicates, such as a row that is deleted and inserted again.
  insert_deduplicate: 0,
  ...OBEY_DEDUPLICATION,
  alter_sync: "2",
  mutations_sync: "2",
  // Deletes select by scratch tables, which have the same rows on every replica.
  allow_nondeterministic_mutations: 1,
  distributed_ddl_output_mode: "none",
  // A profile may have 0, with which a statement ends before the replicas have executed it.
  distributed_ddl_task_timeout: "180",
});

export interface ClusterSize {
  readonly shards: number;
  readonly replicas: number;
}

export const READ_SIZE = `
  SELECT uniqExact(shard_num) AS shards, count() AS replicas FROM system.clusters
  WHERE cluster = {cluster:String}`;

/** Returns the number of replicas. @throws UserError unless the server knows the cluster as one shard */
export function requireOneShard(cluster: string, server: string, size?: ClusterSize): number {
  if (size?.shards === 1) return size.replicas;
  const found = size?.shards ? `has ${size.shards} shards` : "is not in system.clusters";
  throw new UserError(
    `The cluster ${cluster} of ${server} ${found}. Allowed: a cluster of one shard`,
    "set database.cluster (CLICKHOUSE_CLUSTER) to a name that SHOW CLUSTERS lists",
  );
}
