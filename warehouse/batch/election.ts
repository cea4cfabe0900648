import { randomBytes } from "node:crypto";
import type { Database } from "../../contract/ports.ts";
import { RUN_MACRO } from "../engine/configuration.ts";

/** Prefix of lease databases: `_<number>` elects, `_<number>_<token>` belongs to the holder. */
const PREFIX = "eventpipeline_lease_";
const ELECTION = `^${PREFIX}\\\\d+$`;

export interface Holder {
  /** Number of the latest lease that was not released; 0 without one. */
  readonly id: number;
  /** Database of the holder; empty during acquisition. */
  readonly owner: string;
  /** Time since acquisition or renewal, milliseconds of the server's clock. */
  readonly silent_ms: number;
  readonly last_id: number;
  readonly now_ms: number;
  /** Run of a local engine; empty for a server. */
  readonly run: string;
}

export interface Election {
  readonly id: number;
  readonly fence: string;
  /** Databases of other leases that have no right to write any more. */
  readonly others: readonly string[];
  /** True if an earlier lease was not released. */
  readonly isTakeover: boolean;
  /** Statement of an earlier run that is still running; empty without one. */
  readonly leftover: string;
}

const READ_HOLDER = `
  WITH
    (
      SELECT max((toUInt64OrZero(extract(name, '(\\\\d+)$')), comment))
      FROM system.databases WHERE match(name, '${ELECTION}')
    ) AS election,
    (SELECT (max(renewed_at), any(owner)) FROM stg.lease WHERE id = election.1) AS recorded,
    toUnixTimestamp64Milli(now64(3)) AS now_ms,
    (SELECT any(substitution) FROM system.macros WHERE macro = '${RUN_MACRO}') AS run
  SELECT
    election.1 AS id,
    recorded.2 AS owner,
    -- A local engine ends with its clients, so nobody holds a lease of an earlier run.
    now_ms - if(splitByChar(' ', election.2)[3] != run, 0, greatest(
      toUnixTimestamp64Milli(toDateTime64(recorded.1, 3)),
      toInt64OrZero(splitByChar(' ', election.2)[2]))) AS silent_ms,
    (SELECT max(id) FROM stg.lease) AS last_id,
    now_ms,
    run`;

export async function readHolder(db: Database): Promise<Holder> {
  const [holder] = await db.rows<Holder>(READ_HOLDER);
  if (!holder) throw new Error("the query for the holder of the lease returned no row");
  return holder;
}

/** Creates the next election and returns it if won. `IF NOT EXISTS` makes losing no query error. */
export async function elect(db: Database, holder: Holder): Promise<Election | undefined> {
  const id = Math.max(holder.id, holder.last_id) + 1;
  const fence = `${PREFIX}${id}_${randomBytes(8).toString("hex")}`;
  await db.run(`CREATE DATABASE ${fence}`);
  await db.run(
    `CREATE DATABASE IF NOT EXISTS ${PREFIX}${id} COMMENT '${fence} ${holder.now_ms} ${holder.run}'`,
  );
  const [vote] = await db.rows<Vote>(COUNT_VOTES, { election: `${PREFIX}${id}`, fence, id });
  if (vote === undefined) throw new Error("the query for the winner of the lease returned no row");
  const { is_winner, is_used, others, is_takeover, leftover } = vote;
  if (is_winner && !is_used)
    return { id, fence, others, isTakeover: Boolean(is_takeover), leftover };
  await (is_winner ? withdraw(db, { id, fence }) : db.run(drop(fence)));
  return undefined;
}

interface Vote {
  readonly is_winner: number;
  readonly is_used: number;
  readonly others: readonly string[];
  readonly is_takeover: number;
  readonly leftover: string;
}

/** Statements of killed clients, which the server continues. */
export const LEFTOVERS = `
  SELECT query_id FROM system.processes
  WHERE startsWith(current_database, '${PREFIX}') AND current_database != {fence:String}
  ORDER BY elapsed DESC
  LIMIT 1`;

/**
 * Checks the winner and whether a slow run won a number that was used and released before. Another lease's database
 * is older than its election, so this finds all of them.
 */
const COUNT_VOTES = `
  SELECT
    countIf(name = {election:String} AND startsWith(comment, concat({fence:String}, ' '))) > 0 AS is_winner,
    (SELECT max(id) FROM stg.lease) >= {id:UInt64} AS is_used,
    groupArrayIf(name, number <= {id:UInt64} AND name NOT IN ({fence:String}, {election:String})) AS others,
    countIf(number < {id:UInt64}) > 0 AS is_takeover,
    ifNull((${LEFTOVERS}), '') AS leftover
  FROM (
    SELECT name, comment, toUInt64OrZero(extract(name, '^${PREFIX}(\\\\d+)')) AS number
    FROM system.databases WHERE match(name, '^${PREFIX}\\\\d+')
  )`;

export async function withdraw(
  db: Database,
  { id, fence }: Pick<Election, "id" | "fence">,
): Promise<void> {
  await db.run(drop(fence));
  await db.run(drop(`${PREFIX}${id}`));
}

export const drop = (database: string): string => `DROP DATABASE IF EXISTS ${database}`;
