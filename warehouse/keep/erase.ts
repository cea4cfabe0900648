import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { withLease } from "../batch/lease.ts";
import { loadNew } from "../batch/transform.ts";
import { hintToRun } from "../database/command.ts";
import { escapeTsv } from "../database/tsv.ts";
import { ensureSchema } from "../schema/ddl.ts";
import { readQuery, readStatements } from "../sql.ts";
import { eraseFromDataSets } from "./erase-data-sets.ts";
import { eraseHits } from "./erase-hits.ts";

/** What an erasure finds. */
export interface Found {
  /** Ids of the request without a stored session. */
  readonly unknown: readonly string[];
  readonly sessions: number;
  readonly messages: number;
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
}

/** A row of stg.erasure. */
export interface Erasure {
  readonly id: number;
  readonly request: string;
  readonly ids: number;
  readonly sessions: number;
  readonly messages: number;
  readonly began_at: string;
  readonly finished_at: string | null;
}

/** Counts what an erasure of the ids would reach; changes nothing. */
export async function previewErasure(db: Database, ids: readonly string[]): Promise<Found> {
  await ensureSchema(db);
  return withLease(db, "erase", async ({ db: held }) => {
    await rememberIds(held, ids);
    const found = await find(held);
    await run(held, "erase/forget");
    return found;
  });
}

/**
 * Records the ids as keyed hashes, from where on each load erases their messages. `finishErasures` does so at once.
 * @param request what the user calls the request
 */
export async function beginErasure(
  db: Database,
  ids: readonly string[],
  request: string,
): Promise<void> {
  if (ids.some((id) => request.includes(id))) {
    throw new UserError(
      "The request names an id that it erases, and the log keeps the request. Nothing was changed",
      "name the request by a number or a date: --request TEXT",
    );
  }
  await withLease(db, "erase", async ({ id, db: held }) => {
    await rememberIds(held, ids);
    const { sessions, messages } = await find(held);
    // One row has the request and the hashes, so that a killed command leaves both or none.
    await held.run(BEGIN, { id, request, ids: ids.length, sessions, messages });
  });
}

const BEGIN = `
  INSERT INTO stg.erasure (id, request, ids, sessions, messages, hashes, began_at)
  SELECT {id:UInt64}, {request:String}, {ids:UInt64}, {sessions:UInt64}, {messages:UInt64},
    (SELECT groupUniqArray(hash) FROM dm_internal.erased WHERE hash NOT IN stg.erased), now64(6)`;

/** Erases what a restore has brought back or an interrupted erasure left, and computes dds and dm again. */
export async function eraseAgain(db: Database): Promise<void> {
  const [known] = await db.rows<{ needs_load: number }>(
    "SELECT (SELECT count() FROM stg.erased) > 0 AND (SELECT count() FROM ods.load_commit) + (SELECT count() FROM stg.raw) > 0 AS needs_load",
  );
  if (known?.needs_load) await loadNew(db);
}

/**
 * Does so, and waits until the files that held the rows are deleted. Repeating it after a kill completes it.
 * @throws UserError if more messages of erased visitors came in the meantime
 */
export async function finishErasures(db: Database): Promise<void> {
  await eraseAgain(db);
  if ((await readErasures(db)).every(({ finished_at }) => finished_at !== null)) return;
  await eraseHits(db);
  await eraseFromDataSets(db);
  const old = await oldFiles(db);
  while ((await oldFiles(db)).some((file) => old.includes(file))) await sleep(POLL_MS);
  await withLease(db, "erase", async ({ db: held }) => {
    for (const file of ["erase/known", "erase/find"]) await run(held, file);
    const [left] = await held.rows<{ count: number }>(
      "SELECT count() AS count FROM dm_internal.swept_message",
    );
    if (left?.count !== 0) {
      throw new UserError(
        `${left?.count} messages of erased visitors came in the meantime`,
        hintToRun(db, "erase", "make erase"),
      );
    }
    await held.run(FINISH);
    await run(held, "erase/forget");
  });
}

const FINISH = `
  INSERT INTO stg.erasure
  SELECT * REPLACE (now64(6) AS finished_at, now64(6) AS written_at)
  FROM stg.erasure AS log FINAL WHERE log.finished_at IS NULL`;

/** Reads the log from the oldest to the latest erasure. */
export const readErasures = (db: Database): Promise<Erasure[]> =>
  db.rows<Erasure>(`
    SELECT id, request, ids, sessions, messages,
      toString(toDateTime(began_at, 'UTC')) AS began_at, toString(toDateTime(finished_at, 'UTC')) AS finished_at
    FROM stg.erasure FINAL ORDER BY id`);

/** Adds the ids to those that were erased before. They are sent as data, because a server logs statements. */
async function rememberIds(db: Database, ids: readonly string[]): Promise<void> {
  const [low, high] = [0, 8].map((at) => String(randomBytes(16).readBigUInt64LE(at)));
  await db.run(KEY, { low, high });
  await run(db, "erase/known");
  await db.run("CREATE OR REPLACE TABLE given (id String) ENGINE = Memory");
  await db.insertTsv(
    "given",
    ["id"],
    ids.map((id) => Buffer.from(`${escapeTsv(id)}\n`)),
  );
  await db.run(GIVEN);
}

const KEY = `
  INSERT INTO stg.erasure_key SELECT {low:UInt64}, {high:UInt64}
  WHERE (SELECT count() FROM stg.erasure_key) = 0`;

/** A UUID may be written in capitals. With \0, the id without its site, for texts that are no message. */
const GIVEN = `
  INSERT INTO dm_internal.erased
  WITH (SELECT (low, high) FROM stg.erasure_key) AS secret
  SELECT DISTINCT sipHash128Keyed(secret, arrayJoin([
    id, ifNull(toString(toUUIDOrNull(id)), id), concat('\\0', substring(id, position(id, ' ') + 1))])) FROM given WHERE id != ''`;

async function find(db: Database): Promise<Found> {
  await run(db, "erase/find");
  const [found] = await db.rows<Omit<Found, "tables">>(FOUND);
  if (found === undefined) throw new Error("a query without tables has one row");
  return { ...found, tables: await db.rows(readQuery("etl/erase/counts.sql")) };
}

const FOUND = `
  WITH (SELECT (low, high) FROM stg.erasure_key) AS secret
  SELECT
    (SELECT groupArray(id) FROM given WHERE lower(id) NOT IN (SELECT lower(id) FROM (
      SELECT DISTINCT arrayJoin([user_custom_id, ifNull(toString(user_domain_id), '')]) AS id
      FROM (SELECT user_custom_id, user_domain_id FROM ods.device_event UNION ALL SELECT user_custom_id, user_domain_id FROM dds.click)))) AS unknown,
    (SELECT uniqExact(click_id) FROM dds.click WHERE sipHash128Keyed(secret, toString(click_id)) IN dm_internal.erased) AS sessions,
    (SELECT count() FROM dm_internal.swept_message) AS messages`;

async function run(db: Database, file: string): Promise<void> {
  for (const statement of readStatements(`etl/${file}.sql`)) await db.run(statement);
}

/** Lists the files of replaced rows, which ClickHouse deletes later. */
const oldFiles = async (db: Database): Promise<string[]> =>
  (await db.rows<{ file: string }>(OLD_FILES)).map(({ file }) => file);

const OLD_FILES = `
  SELECT concat(database, '.', table, ' ', name) AS file FROM system.parts
  WHERE NOT active AND database IN ('stg', 'ods', 'dds', 'dm', 'dm_internal', 'hits')
  UNION ALL
  SELECT toString(uuid) FROM system.dropped_tables
  WHERE database IN ('stg', 'ods', 'dds', 'dm', 'dm_internal') OR startsWith(database, 'eventpipeline_lease_')`;

const POLL_MS = 500;
