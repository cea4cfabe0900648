import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseError, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";

export interface LockOptions {
  /** How long to wait for another run, milliseconds. */
  readonly waitMs?: number;
  /** A holder that has not renewed the lock for this long is dead, milliseconds. */
  readonly staleMs?: number;
}

const WAIT = 10 * 60_000;
const STALE = 15_000;
const RENEWALS_PER_LIFE = 5;
const TABLE_ALREADY_EXISTS = 57;
const UNKNOWN_TABLE = 60;

/**
 * Runs `work` while no other process runs a step on the same database.
 *
 * The lock is a table: creating one is atomic in ClickHouse, which has no compare-and-set. Its
 * comment names the holder and is renewed; a lock whose holder died is taken over, after the
 * statements it left running on the server have ended.
 */
export async function withLock<T>(
  db: Database,
  stepId: string,
  work: () => Promise<T>,
  { waitMs = WAIT, staleMs = STALE }: LockOptions = {},
): Promise<T> {
  if (db.kind === "embedded") return work();
  const owner = `${stepId} on ${hostname()}, process ${process.pid}, ${crypto.randomUUID()}`;
  await acquire(db, owner, { deadline: performance.now() + waitMs, staleMs });
  const beat = () => renew(db, owner).catch(() => undefined);
  const renewal = setInterval(beat, staleMs / RENEWALS_PER_LIFE);
  try {
    await waitForLeftovers(db);
    return await work();
  } finally {
    clearInterval(renewal);
    await db.run("DROP TABLE IF EXISTS ods.step_lock SYNC");
  }
}

interface Patience {
  readonly deadline: number;
  readonly staleMs: number;
}

async function acquire(db: Database, owner: string, { deadline, staleMs }: Patience) {
  while (!(await tryCreate(db, owner))) {
    const holder = await readHolder(db);
    if (holder && holder.age_ms > staleMs) {
      await db.run("DROP TABLE IF EXISTS ods.step_lock SYNC");
    } else if (performance.now() > deadline) {
      throw new UserError(
        `Another run holds the database: ${holder?.owner ?? "unknown"}.`,
        "wait until it has ended, then run the step again",
      );
    } else {
      await sleep(500);
    }
  }
}

async function tryCreate(db: Database, owner: string): Promise<boolean> {
  try {
    await db.run(
      "CREATE TABLE ods.step_lock (owner String, renewed_at DateTime64(3, 'UTC')) ENGINE = Memory",
    );
  } catch (error) {
    if (error instanceof DatabaseError && error.code === TABLE_ALREADY_EXISTS) return false;
    throw error;
  }
  await renew(db, owner);
  // Two processes may take over the same stale lock: the later one dropped the earlier one's.
  await sleep(100);
  return (await readHolder(db))?.owner === owner;
}

const renew = (db: Database, owner: string): Promise<void> =>
  db.run("INSERT INTO ods.step_lock SELECT {owner:String}, now64(3)", { owner });

/** A lock that was just created has no row yet: its age counts from the creation of the table. */
const READ_HOLDER = `
  SELECT
    argMax(owner, renewed_at) AS owner,
    dateDiff('millisecond', greatest(max(renewed_at), (
      SELECT max(toDateTime64(metadata_modification_time, 3, 'UTC')) FROM system.tables
      WHERE database = 'ods' AND name = 'step_lock')), now64(3)) AS age_ms
  FROM ods.step_lock`;

async function readHolder(db: Database): Promise<{ owner: string; age_ms: number } | undefined> {
  try {
    const [holder] = await db.rows<{ owner: string; age_ms: number }>(READ_HOLDER);
    return holder;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNKNOWN_TABLE) return undefined;
    throw error;
  }
}

/** A killed client leaves its statement running on the server: it must end before we begin. */
async function waitForLeftovers(db: Database): Promise<void> {
  const running =
    "SELECT count() AS count FROM system.processes WHERE query_id LIKE 'eventpipeline-%'";
  for (;;) {
    const [row] = await db.rows<{ count: number }>(running);
    if (!row || row.count === 0) return;
    await sleep(500);
  }
}
