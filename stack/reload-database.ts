import type { Database } from "../contract/ports.ts";
import type { StreamName } from "../contract/streams.ts";
import {
  detachedQueues,
  pauseConsumption,
  resumeConsumption,
} from "../warehouse/ingest/consumption.ts";

/** @param reopen re-attaches Kafka tables, which keep the address and password of their attach */
export async function reloadDatabase(db: Database, reopen: boolean): Promise<void> {
  await db.run("SYSTEM RELOAD CONFIG");
  if (!reopen) return;
  const paused: StreamName[] = [];
  try {
    paused.push(...(await pauseConsumption(db)));
  } finally {
    // Includes tables that an interrupted run left detached.
    await resumeConsumption(db, [...new Set([...paused, ...(await detachedQueues(db))])]);
  }
}
