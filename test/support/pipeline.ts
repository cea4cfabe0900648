import type { Database } from "../../contract/ports.ts";
import { openDataset, SAMPLE_DATASET } from "../../generator/dataset/format.ts";
import { findStep, type Plan, readPlan } from "../../warehouse/batch/plan.ts";
import { runStep, type StepOptions } from "../../warehouse/batch/run-step.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { loadIntoStg } from "../../warehouse/loader/stg.ts";
import { StgPublisher, startEpoch } from "../../warehouse/loader/stg-publisher.ts";
import { digests } from "../../warehouse/reconciliation/digests.ts";
import { type Message, toBatch } from "./messages.ts";

export async function publish(db: Database, messages: readonly Message[]): Promise<void> {
  const publisher = await StgPublisher.open(db);
  await publisher.publish(toBatch(messages));
  await publisher.close();
}

export const newEpoch = (db: Database): Promise<number> => startEpoch(db, "test");

const plan = readPlan();
/** Replaces changed rows however many they are of the few of a test. */
export const CHANGED_ROWS: Plan = { ...plan, params: { ...plan.params, changed_share: 1 } };

export const load = (db: Database, mode: "full" | "incremental") =>
  transform(db, { fullRefresh: mode === "full", waitSeconds: 1, plan: CHANGED_ROWS });

/** Loads the first rows of the sample in a new epoch, in place of earlier ones. */
export async function loadSample(db: Database, limit: number): Promise<void> {
  await loadIntoStg(db, await openDataset(SAMPLE_DATASET), { limit, reset: true });
  await load(db, "incremental");
}

/** Runs one step, incrementally by default. */
export const loadStep = (db: Database, id: string, options: Partial<StepOptions> = {}) =>
  runStep(db, CHANGED_ROWS, findStep(CHANGED_ROWS, id), {
    ...{ fullRefresh: false, waitSeconds: 1 },
    ...options,
  });

/** Returns the digest of every typed table by name. */
export async function digestsOf(db: Database): Promise<Record<string, string>> {
  const lines = await digests(db);
  return Object.fromEntries(lines.map(({ name, rows, digest }) => [name, `${rows} ${digest}`]));
}

/** Returns the digests of the layers that are computed from ods. */
export async function derivedDigests(db: Database): Promise<Record<string, string>> {
  const all = Object.entries(await digestsOf(db));
  return Object.fromEntries(all.filter(([name]) => !name.startsWith("ods.")));
}

/** Rebuilds every layer except stg and returns the digests. */
export async function digestsFromScratch(db: Database): Promise<Record<string, string>> {
  const tables = await db.rows<{ name: string }>(
    `SELECT concat(database, '.', name) AS name FROM system.tables
     WHERE database IN ('ods', 'dds', 'dm', 'dm_internal') AND engine LIKE '%MergeTree'`,
  );
  for (const { name } of tables) await db.run(`TRUNCATE TABLE ${name}`);
  await load(db, "full");
  return digestsOf(db);
}
