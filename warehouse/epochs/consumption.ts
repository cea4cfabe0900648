import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { DatabaseError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { CONSUMER_GROUPS } from "../../contract/topics.ts";
import { evictMembers } from "../../kafka/consumer-groups.ts";

/** Longest time that running queries keep a detached table in use, ms. */
const ATTACH_WITHIN_MS = 30_000;
const RETRY_MS = 200;

/** Detaches the queues after each block is stored and committed; `admin` empties the groups. */
export async function pauseConsumption(db: Database, admin?: Admin): Promise<StreamName[]> {
  const attached = await attachedQueues(db);
  for (const stream of attached) await db.run(`DETACH TABLE stg.${stream}_queue SYNC`);
  await waitForInserts(db);
  if (admin && attached.length > 0) await evictMembers(admin, CONSUMER_GROUPS);
  return attached;
}

export async function resumeConsumption(
  db: Database,
  streams: readonly StreamName[],
): Promise<void> {
  const attached = await attachedQueues(db);
  for (const stream of streams) {
    if (!attached.includes(stream)) await attach(db, `stg.${stream}_queue`);
  }
}

export async function attachedQueues(db: Database): Promise<StreamName[]> {
  const tables = await db.rows<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'stg' AND engine IN ('Kafka', 'Null')",
  );
  const names = new Set(tables.map(({ name }) => name));
  return STREAMS.filter((stream) => names.has(`${stream}_queue`));
}

export async function detachedQueues(db: Database): Promise<StreamName[]> {
  const tables = await db.rows<{ table: string }>(
    "SELECT table FROM system.detached_tables WHERE database = 'stg'",
  );
  const names = new Set(tables.map(({ table }) => table));
  return STREAMS.filter((stream) => names.has(`${stream}_queue`));
}

/** Waits for running statements of `pipeline ingest`; the server refuses further ones. */
async function waitForInserts(db: Database): Promise<void> {
  while ((await db.rows(RUNNING_INSERTS)).length > 0) await sleep(RETRY_MS);
}

const RUNNING_INSERTS = `
  SELECT query_id FROM system.processes WHERE match(query, '^\\s*INSERT INTO stg\\.\\w+_queue ')`;

async function attach(db: Database, table: string): Promise<void> {
  for (const deadline = Date.now() + ATTACH_WITHIN_MS; ; await sleep(RETRY_MS)) {
    try {
      return await db.run(`ATTACH TABLE IF NOT EXISTS ${table}`);
    } catch (error) {
      if (!(error instanceof DatabaseError) || Date.now() > deadline) throw error;
    }
  }
}
