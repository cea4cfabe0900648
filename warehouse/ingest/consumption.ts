import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { DatabaseError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { CONSUMER_GROUP } from "../../contract/topics.ts";
import { evictMembers } from "../../kafka/consumer-groups.ts";

/** Longest time that running queries keep a detached table in use, ms. */
const ATTACH_WITHIN_MS = 30_000;
const RETRY_MS = 200;

/** State of `stg.queue`, which reads the topics; absent without a broker. */
export type QueueState = "attached" | "detached" | "absent";

export async function queueState(db: Database): Promise<QueueState> {
  const [row] = await db.rows<{ state: QueueState }>(QUEUE_STATE);
  return row?.state ?? "absent";
}

const QUEUE_STATE = `
  SELECT 'attached' AS state FROM system.tables WHERE database = 'stg' AND name = 'queue'
  UNION ALL
  SELECT 'detached' FROM system.detached_tables WHERE database = 'stg' AND table = 'queue'`;

/**
 * Detaches the queue after each block is stored and committed; `admin` empties the group.
 * @returns false if the queue was not attached
 */
export async function pauseConsumption(db: Database, admin?: Admin): Promise<boolean> {
  const isAttached = (await queueState(db)) === "attached";
  if (isAttached) await db.run("DETACH TABLE stg.queue SYNC");
  await waitForInserts(db);
  if (admin && isAttached) await evictMembers(admin, [CONSUMER_GROUP]);
  return isAttached;
}

/** Attaches the queue if it is detached. */
export async function resumeConsumption(db: Database): Promise<void> {
  for (const deadline = Date.now() + ATTACH_WITHIN_MS; ; await sleep(RETRY_MS)) {
    try {
      if ((await queueState(db)) === "detached")
        await db.run("ATTACH TABLE IF NOT EXISTS stg.queue");
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError) || Date.now() > deadline) throw error;
    }
  }
}

/** Waits for running statements of `pipeline ingest`; the server refuses further ones. */
async function waitForInserts(db: Database): Promise<void> {
  while ((await db.rows(RUNNING_INSERTS)).length > 0) await sleep(RETRY_MS);
}

const RUNNING_INSERTS = `
  SELECT query_id FROM system.processes WHERE match(query, '^\\s*INSERT INTO stg\\.queue ')`;
