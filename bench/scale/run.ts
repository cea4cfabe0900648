/**
 * Runs the whole pipeline on the embedded engine for one size, then three incremental loads, and
 * prints the cost of every hop.
 * node bench/scale/run.ts MESSAGES      needs Linux, which alone gives a peak of memory per hop
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_DEFAULTS, demoConfig } from "../../cli/demo.ts";
import { openFresh } from "../../cli/demo-workspace.ts";
import { generate } from "../../cli/history-run.ts";
import type { ReadableDatabase } from "../../contract/ports.ts";
import { statementOf } from "../../contract/statement.ts";
import { StgPublisher } from "../../embedded/stg-publisher.ts";
import { runBackfill } from "../../generator/backfill.ts";
import type { StateV3 } from "../../generator/model/state.ts";
import { donorPool } from "../../generator/scenario/donors.ts";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { prove } from "../../warehouse/ledger/prove.ts";
import { totalOf } from "../../warehouse/loader/load.ts";
import { waitForMerges } from "../batch.ts";
import { ownCpuSeconds, peakMiB } from "../process.ts";
import type { Hop, IncrementalLoad, LayerSize, ScaleRun } from "./measurement.ts";
import { referenceSeconds } from "./reference.ts";

/** Messages per model day of `shop` at the demo's rate; the run reports the exact number. */
const MESSAGES_PER_DAY = 103_500;

/** Parts of the history that the incremental loads add. The first also has late messages of the history. */
const INCREMENTS = [0.01, 0.01, 0.03];

/** Measures a history of about `messages`, and incremental loads of some more percent. */
export async function measureRun(messages: number, directory: string): Promise<ScaleRun> {
  const days = Math.max(1, Math.round(messages / MESSAGES_PER_DAY));
  const config = demoConfig({ ...DEMO_DEFAULTS, days });
  const db = await openFresh(directory);
  try {
    await referenceSeconds(db); // The first run is slower.
    const meter = new Meter(db);
    const { state, result } = await meter.measure("generate into stg", () => generate(db, config));
    await load(db, meter, true);
    await meter.measure("prove", () => proveAll(db));
    await meter.measure("merges", () => waitForMerges(db));
    const layers = await layerSizes(db);
    const messages = result.report.messages ?? 0;
    const loads = await loadMore(db, config, { state, messages });
    return { messages, days, hops: meter.hops, layers, loads };
  } finally {
    await db.close();
  }
}

/** Extends the history and loads the new messages, once for each of the increments. */
async function loadMore(
  db: ReadableDatabase,
  config: ReturnType<typeof demoConfig>,
  history: { state: StateV3; messages: number },
): Promise<IncrementalLoad[]> {
  const duration = history.state.model_time_us - config.t0;
  const loads: IncrementalLoad[] = [];
  let { state, messages } = history;
  for (const part of INCREMENTS) {
    const publisher = await StgPublisher.open(db);
    const more = { ...config, tEnd: state.model_time_us + Math.round(duration * part) };
    const extended = await runBackfill(more, donorPool(config), publisher, { from: state });
    await publisher.close();
    await waitForMerges(db);
    const meter = new Meter(db);
    await load(db, meter, false);
    const total = totalOf(statementOf(extended.manifest));
    loads.push({ newMessages: total - messages, hops: meter.hops });
    [state, messages] = [extended.state, total];
  }
  return loads;
}

async function load(db: ReadableDatabase, meter: Meter, fullRefresh: boolean): Promise<void> {
  for (const { id } of readPlan().steps) {
    await meter.measure(id, () => transform(db, { fullRefresh, waitSeconds: 1, only: id }));
  }
}

async function proveAll(db: ReadableDatabase): Promise<void> {
  const { verdict } = await prove(db);
  if (verdict !== "accounted") throw new Error(`prove answers ${verdict}`);
}

const layerSizes = (db: ReadableDatabase): Promise<LayerSize[]> =>
  db.rows(`SELECT database AS layer, toFloat64(sum(bytes_on_disk)) AS bytes
           FROM system.parts WHERE active AND database IN ('stg', 'ods', 'dds', 'dm')
           GROUP BY layer ORDER BY bytes DESC`);

/** Measures processor time and peak memory of this process, which includes the engine. */
class Meter {
  readonly hops: Hop[] = [];
  readonly #db: ReadableDatabase;

  constructor(db: ReadableDatabase) {
    this.#db = db;
  }

  async measure<T>(hop: string, work: () => Promise<T>): Promise<T> {
    const before = await referenceSeconds(this.#db);
    writeFileSync("/proc/self/clear_refs", "5"); // resets the peak
    const [wall, cpu] = [performance.now(), ownCpuSeconds()];
    const result = await work();
    const measured = {
      hop,
      cpuSeconds: ownCpuSeconds() - cpu,
      wallSeconds: (performance.now() - wall) / 1000,
      peakMiB: peakMiB(process.pid),
    };
    const after = await referenceSeconds(this.#db);
    this.hops.push({ ...measured, referenceSeconds: (before + after) / 2 });
    console.error(JSON.stringify(this.hops.at(-1)));
    return result;
  }
}

if (import.meta.main) {
  const directory = mkdtempSync(join(tmpdir(), "scale-"));
  try {
    const run = await measureRun(Number(process.argv[2]), directory);
    console.log(`MEASURED ${JSON.stringify(run)}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
