import { randomBytes } from "node:crypto";
import type { Database } from "../../contract/ports.ts";

/** What the databases of a lease begin with: `_<number>` elects, `_<number>_<token>` is the holder's own. */
export const PREFIX = "eventpipeline_lease_";
const ELECTION = `^${PREFIX}\\\\d+$`;

export interface Holder {
  /** Number of the latest lease that was not released; 0 without one. */
  readonly id: number;
  /** Its step, machine and process; empty while it is being acquired. */
  readonly owner: string;
  /** Time since it was acquired or renewed, milliseconds of the server's clock. */
  readonly silent_ms: number;
  /** The highest number that was ever recorded. */
  readonly last_id: number;
  /** The server's clock, milliseconds since 1970. */
  readonly now_ms: number;
}

/** A lease that was won: its number and the database in which its statements run. */
export interface Elected {
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
    toUnixTimestamp64Milli(now64(3)) AS now_ms
  SELECT
    election.1 AS id,
    recorded.2 AS owner,
    now_ms - greatest(
      toUnixTimestamp64Milli(toDateTime64(recorded.1, 3)),
      toInt64OrZero(splitByChar(' ', election.2)[2])) AS silent_ms,
    (SELECT max(id) FROM stg.lease) AS last_id,
    now_ms`;

export async function readHolder(db: Database): Promise<Holder> {
  const [holder] = await db.rows<Holder>(READ_HOLDER);
  if (!holder) throw new Error("the query for the holder of the lease gave no row");
  return holder;
}

/**
 * Takes the number after the highest one; undefined when another run has it. Creating a database that
 * exists is no error, so a lost election does not count as a failed query; its comment names the winner.
 */
export async function elect(db: Database, holder: Holder): Promise<Elected | undefined> {
  const id = Math.max(holder.id, holder.last_id) + 1;
  const fence = `${PREFIX}${id}_${randomBytes(8).toString("hex")}`;
  await db.run(`CREATE DATABASE ${fence}`);
  await db.run(`CREATE DATABASE IF NOT EXISTS ${PREFIX}${id} COMMENT '${fence} ${holder.now_ms}'`);
  const [vote] = await db.rows<{ is_winner: number; is_used: number }>(COUNT_VOTES, {
    election: `${PREFIX}${id}`,
    fence,
    id,
  });
  if (vote?.is_winner && !vote.is_used) return { id, fence };
  await (vote?.is_winner ? withdraw(db, { id, fence }) : db.run(drop(fence)));
  return undefined;
}

/** A run that was slow may win a number that another one has used and released meanwhile. */
const COUNT_VOTES = `
  SELECT
    count() > 0 AS is_winner,
    (SELECT max(id) FROM stg.lease) >= {id:UInt64} AS is_used
  FROM system.databases
  WHERE name = {election:String} AND startsWith(comment, concat({fence:String}, ' '))`;

/** Gives a lease up. */
export async function withdraw(db: Database, { id, fence }: Elected): Promise<void> {
  await db.run(drop(fence));
  await db.run(drop(`${PREFIX}${id}`));
}

/** Drops what is left of earlier leases; returns whether one of them had not been released. */
export async function retireOthers(db: Database, { id, fence }: Elected): Promise<boolean> {
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
