import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../contract/ports.ts";
import { STREAMS } from "../contract/streams.ts";
import type { StateV3 } from "../generator/model/state.ts";
import { findStep, readPlan } from "../warehouse/batch/plan.ts";
import { runStep } from "../warehouse/batch/run-step.ts";
import { transform } from "../warehouse/batch/transform.ts";
import { splitStatements } from "../warehouse/sql.ts";
import { appendDays, EVENTS_PER_DAY, withEngine } from "./history.ts";
import { median, secondsOf } from "./measure.ts";
import type { BenchRow } from "./verdict.ts";

const ROUNDS = 3;
const QUIET_POLLS = 6;

/** Compares the batch process on `events` page events with references on the same data. */
export async function benchBatch(events: number): Promise<BenchRow[]> {
  const days = events / EVENTS_PER_DAY;
  return withEngine(async (db) => {
    const state = await appendDays(db, days * 0.99);
    const ods = await compareOds(db);
    const fromRaw = await run(db, "full");
    const incremental = await incrementalLoads(db, days * 0.01, state);
    const fromTyped = await run(db, "full");
    const name = `incremental load of 1 % of ${events} page events`;
    return [
      ods,
      row(
        `${name}, compared with the first full refresh, from stg`,
        incremental,
        fromRaw,
        "s",
        0.1,
      ),
      row(`${name}, compared with a later full refresh, from ods`, incremental, fromTyped, "s"),
    ];
  });
}

/** Returns the median of three successive loads, seconds. */
async function incrementalLoads(db: Database, days: number, from: StateV3): Promise<number> {
  const taken: number[] = [];
  let state = from;
  for (let round = 0; round < ROUNDS; round++) {
    state = await appendDays(db, days, state);
    await waitForMerges(db);
    taken.push(await run(db, "incremental"));
    await waitForMerges(db);
  }
  return median(taken);
}

/**
 * Compares load_ods for four streams with a plain typed INSERT SELECT of equally many threads, best
 * of three. Removes each result before the next run, so that merges do not affect it.
 */
async function compareOds(db: Database): Promise<BenchRow> {
  const plain = splitStatements(
    readFileSync(join(import.meta.dirname, "reference/plain_load.sql"), "utf8"),
  );
  const ours: number[] = [];
  const reference: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await runAll(db, plain.slice(0, 4));
    await waitForMerges(db);
    reference.push(await secondsOf(() => runAll(db, plain.slice(4))));
    await runAll(db, DROP_PLAIN);
    await waitForMerges(db);
    ours.push(await secondsOfStep(db, "load_ods"));
    await runAll(db, UNDO);
  }
  return row("load_ods for four streams", Math.min(...ours), Math.min(...reference), "s", 1.5);
}

const DROP_PLAIN = STREAMS.map((stream) => `DROP TABLE stg.plain_${stream} SYNC`);
const UNDO = [
  "TRUNCATE TABLE ods.load_range",
  "TRUNCATE TABLE ods.load_commit",
  ...STREAMS.flatMap((stream) => [
    `TRUNCATE TABLE ods.${stream}_event`,
    `TRUNCATE TABLE ods.${stream}_event_errors`,
  ]),
];

async function runAll(db: Database, statements: readonly string[]): Promise<void> {
  for (const sql of statements) await db.run(sql);
}

async function secondsOfStep(db: Database, id: string): Promise<number> {
  const plan = readPlan();
  const step = findStep(plan, id);
  return (await runStep(db, plan, step, { fullRefresh: true, waitSeconds: 1 })).seconds;
}

const run = (db: Database, mode: "full" | "incremental"): Promise<number> =>
  secondsOf(() => transform(db, { fullRefresh: mode === "full", waitSeconds: 1 }));

async function waitForMerges(db: Database): Promise<void> {
  for (let quiet = 0; quiet < QUIET_POLLS; quiet++) {
    const [row] = await db.rows<{ merges: number }>("SELECT count() AS merges FROM system.merges");
    if (row?.merges !== 0) quiet = 0;
    await sleep(500);
  }
}

const row = (
  name: string,
  value: number,
  reference: number,
  unit: string,
  atMost?: number,
): BenchRow => ({
  name,
  ...(atMost === undefined ? {} : { atMost }),
  value: Number(value.toFixed(2)),
  unit,
  reference: Number(reference.toFixed(2)),
  ratio: Number((value / reference).toFixed(3)),
});
