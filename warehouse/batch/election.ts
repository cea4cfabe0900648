import { randomBytes } from "node:crypto";
import type { Database } from "../../contract/ports.ts";
import { RUN_MACRO } from "../engine/configuration.ts";

/** Prefix of lease databases: `_<number>` elects, `_<number>_<token>` belongs to the holder. */
export const PREFIX = "eventpipeline_lease_";
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
  const [vote] = await db.rows<{ is_winner: number; is_used: number }>(COUNT_VOTES, {
    election: `${PREFIX}${id}`,
    fence,
    id,
  });
  if (vote?.is_winner && !vote.is_used) return { id, fence };
  await (vote?.is_winner ? withdraw(db, { id, fence }) : db.run(drop(fence)));
  return undefined;
}

/** Checks the winner and whether a slow run won a number that was used and released before. */
const COUNT_VOTES = `
  SELECT
    count() > 0 AS is_winner,
    (SELECT max(id) FROM stg.lease) >= {id:UInt64} AS is_used
  FROM system.databases
  WHERE name = {election:String} AND startsWith(comment, concat({fence:String}, ' '))`;

export async function withdraw(db: Database, { id, fence }: Election): Promise<void> {
  await db.run(drop(fence));
  await db.run(drop(`${PREFIX}${id}`));
}

/** Drops the databases of other leases. Returns true if an earlier lease was not released. */
export async function retireOthers(db: Database, { id, fence }: Election): Promise<boolean> {
  const others = await db.rows<{ name: string; is_earlier: number }>(READ_OTHERS, {
    id,
    own: [fence, `${PREFIX}${id}`],
  });
  for (const { name } of others) await db.run(drop(name));
  return others.some(({ is_earlier }) => is_earlier);
}

const READ_OTHERS = `
  SELECT name, toUInt64OrZero(extract(name, '^${PREFIX}(\\\\d+)')) AS number, number < {id:UInt64} AS is_earlier
  FROM system.databases
  WHERE match(name, '^${PREFIX}\\\\d+') AND number <= {id:UInt64} AND name NOT IN {own:Array(String)}`;

const drop = (database: string): string => `DROP DATABASE IF EXISTS ${database}`;
