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
const RELEASE = "DROP TABLE IF EXISTS stg.step_lock SYNC";
const RUN_AGAIN = "wait until it has ended, then run the step again";

/** Held by a running step. */
export interface HeldLock {
  /** @throws UserError when another run has taken over: what follows must not run */
  requireHeld(): void;
}

/**
 * Runs `work` while no other process runs a step on the same database.
 *
 * The lock is a table: creating one is atomic in ClickHouse, which has no compare-and-set. Its rows
 * name the holder and are renewed; a lock whose holder died is taken over, after the statements it
 * left running on the server have ended. A holder that was taken for dead notices, and stops.
 */
export async function withLock<T>(
  db: Database,
  stepId: string,
  work: (lock: HeldLock) => Promise<T>,
  { waitMs = WAIT, staleMs = STALE }: LockOptions = {},
): Promise<T> {
  if (db.kind === "embedded") return work({ requireHeld() {} });
  const owner = `${stepId} on ${hostname()}, process ${process.pid}, ${crypto.randomUUID()}`;
  await acquire(db, owner, { deadline: performance.now() + waitMs, staleMs });
  let isLost = false;
  const beat = async () => {
    await renew(db, owner);
    isLost ||= (await readHolder(db))?.owner !== owner;
  };
  const renewal = setInterval(() => beat().catch(() => undefined), staleMs / RENEWALS_PER_LIFE);
  try {
    await waitForLeftovers(db, performance.now() + waitMs);
    return await work({
      requireHeld() {
        if (isLost) throw new UserError(`${stepId} was taken over by another run.`, RUN_AGAIN);
      },
    });
  } finally {
    clearInterval(renewal);
    if ((await readHolder(db))?.owner === owner) await db.run(RELEASE);
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
      await db.run(RELEASE);
    } else if (performance.now() > deadline) {
      throw new UserError(
        `Another run holds the database: ${holder?.owner ?? "unknown"}.`,
        RUN_AGAIN,
      );
    } else {
      await sleep(500);
    }
  }
}

async function tryCreate(db: Database, owner: string): Promise<boolean> {
  try {
    await db.run(
      "CREATE TABLE stg.step_lock (owner String, renewed_at DateTime64(3, 'UTC')) ENGINE = Memory",
    );
  } catch (error) {
    if (error instanceof DatabaseError && error.code === TABLE_ALREADY_EXISTS) return false;
    throw error;
  }
  await db.run("INSERT INTO stg.step_lock SELECT {owner:String}, now64(3)", { owner });
  // Two processes may take over the same stale lock: the later one dropped the earlier one's.
  await sleep(100);
  return (await readHolder(db))?.owner === owner;
}

/** Only the holder renews: one that lost the lock must not take the name of its successor. */
const renew = (db: Database, owner: string): Promise<void> =>
  db.run(
    `INSERT INTO stg.step_lock SELECT {owner:String}, now64(3)
     WHERE (SELECT argMax(owner, renewed_at) FROM stg.step_lock) = {owner:String}`,
    { owner },
  );

/** A lock that was just created has no row yet: its age counts from the creation of the table. */
const READ_HOLDER = `
  SELECT
    argMax(owner, renewed_at) AS owner,
    dateDiff('millisecond', greatest(max(renewed_at), (
      SELECT max(toDateTime64(metadata_modification_time, 3, 'UTC')) FROM system.tables
      WHERE database = 'stg' AND name = 'step_lock')), now64(3)) AS age_ms
  FROM stg.step_lock`;

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
async function waitForLeftovers(db: Database, deadline: number): Promise<void> {
  const running =
    "SELECT count() AS count FROM system.processes WHERE query_id LIKE 'eventpipeline-%'";
  for (;;) {
    const [row] = await db.rows<{ count: number }>(running);
    if (!row || row.count === 0) return;
    if (performance.now() > deadline) {
      throw new UserError("A statement that a killed run left behind is still running.", RUN_AGAIN);
    }
    await sleep(500);
  }
}
