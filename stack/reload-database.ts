import type { Database } from "../contract/ports.ts";
import type { StreamName } from "../contract/streams.ts";
import {
  detachedQueues,
  pauseConsumption,
  resumeConsumption,
} from "../warehouse/ingest/consumption.ts";

/**
 * Makes the server read its files now, and tell what is wrong with them.
 * @param reopen also the tables that read from the broker: they keep the address and the password
 * they were opened with. What is being read is stored first, what comes later waits in the broker.
 */
export async function reloadDatabase(db: Database, reopen: boolean): Promise<void> {
  await db.run("SYSTEM RELOAD CONFIG");
  if (!reopen) return;
  const paused: StreamName[] = [];
  try {
    paused.push(...(await pauseConsumption(db)));
  } finally {
    // Also what a run that was cut off here has left detached.
    await resumeConsumption(db, [...new Set([...paused, ...(await detachedQueues(db))])]);
  }
}
