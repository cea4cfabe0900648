import type { Database } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { detachedQueues, pauseConsumption, resumeConsumption } from "./consumption.ts";

/** Reloads the server's files. @param reopen re-attaches Kafka tables, which keep their old address */
export async function reloadDatabase(db: Database, reopen: boolean): Promise<void> {
  await db.run("SYSTEM RELOAD CONFIG");
  if (!reopen) return;
  const paused: StreamName[] = [];
  try {
    paused.push(...(await pauseConsumption(db)));
  } finally {
    // An interrupted run can leave tables detached.
    await resumeConsumption(db, [...new Set([...paused, ...(await detachedQueues(db))])]);
  }
}
