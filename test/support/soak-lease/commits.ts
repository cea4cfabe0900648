import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../../contract/ports.ts";

/** Delay after a takeover, seconds, because a commit may be in progress. */
const GRACE_SECONDS = 0.5;

/**
 * Checks that every commit was written before the next lease began. Call before another run, which
 * would repair the layers.
 * @throws Error naming the late commits
 */
export async function requireCommitsInTime(db: Database): Promise<void> {
  const late = await db.rows(
    `SELECT name, lease_id, committed_at, next.id AS next_lease, next.acquired_at AS next_begun_at
     FROM
     (
       SELECT 1 AS one, 'ods.load_commit' AS name, load_id AS lease_id, committed_at FROM ods.load_commit
       UNION ALL
       SELECT 1, 'dds.load_commit', lease_id, committed_at FROM dds.load_commit
       UNION ALL
       SELECT 1, concat('dm_internal.load_commit of ', target), lease_id, committed_at FROM dm_internal.load_commit
     ) AS commits
     ASOF INNER JOIN (SELECT 1 AS one, id, acquired_at FROM stg.lease FINAL) AS next
       ON commits.one = next.one AND commits.lease_id < next.id
     WHERE dateDiff('microsecond', next.acquired_at, committed_at) > ${GRACE_SECONDS} * 1e6`,
  );
  if (late.length > 0) throw new Error(`commits after a takeover: ${JSON.stringify(late)}`);
}

const MUTATED_WITHIN_MS = 120_000;
const POLL_MS = 100;

/** Waits until every mutation is done, including those of killed clients. */
export async function waitForMutations(db: Database): Promise<void> {
  for (const deadline = Date.now() + MUTATED_WITHIN_MS; ; await sleep(POLL_MS)) {
    const open = await db.rows(
      `SELECT concat(database, '.', table) AS table, command, latest_fail_reason
       FROM system.mutations WHERE NOT is_done`,
    );
    if (open.length === 0) return;
    if (Date.now() > deadline) throw new Error(`unfinished mutations: ${JSON.stringify(open)}`);
  }
}
