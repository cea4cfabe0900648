import type { Admin } from "@platformatic/kafka";
import type { Database } from "../../contract/ports.ts";
import { liveStands } from "../broker/liveness.ts";
import { resetTopics } from "../broker/manage.ts";
import { type GeneratorAddress, readStatus, sendControl } from "./client.ts";

export interface CleanStartOptions {
  readonly admin: Admin;
  readonly database: Database | null;
  readonly generator: GeneratorAddress;
  readonly tEnd: string | undefined;
  /** Told what is being done. */
  readonly onStep: (what: string) => void;
}

/**
 * Stops the generator, recreates every topic under a new epoch, empties the layers, and lets the
 * generator begin anew: a backfill, then live. Whatever was there is gone.
 */
export async function cleanStart(options: CleanStartOptions): Promise<Record<string, unknown>> {
  const { admin, database, generator, tEnd, onStep } = options;
  const { state, stand } = await readStatus(generator);
  if (state.kind === "running") {
    onStep(`pausing ${state.operation}`);
    await sendControl(generator, { operation: "pause" });
  }
  onStep("recreating the topics");
  await resetTopics(admin, {
    database,
    scope: "all",
    reason: "clean start",
    // The generator of this stand is paused; another one would be cut off.
    isLive: async () => (await liveStands(admin)).some((live) => live !== stand),
  });
  if (database) {
    onStep("emptying the layers");
    await clearLayers(database);
  }
  onStep("starting anew");
  return sendControl(generator, {
    operation: "clean_start",
    confirm: stand,
    ...(tEnd ? { t_end: tEnd } : {}),
  });
}

/** Empties every table but the list of epochs: an epoch is never used twice. */
export async function clearLayers(db: Database): Promise<void> {
  const tables = await db.rows<{ database: string; name: string }>(
    `SELECT database, name FROM system.tables
     WHERE database IN ('stg', 'ods', 'dds', 'dm') AND engine LIKE '%MergeTree'
       AND (database, name) != ('stg', 'epoch')`,
  );
  for (const { database, name } of tables) await db.run(`TRUNCATE TABLE ${database}.${name}`);
}
