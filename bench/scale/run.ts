/**
 * Runs the whole pipeline on the embedded engine for one size and prints the cost of every hop.
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
import { DAY } from "../../contract/time.ts";
import { StgPublisher } from "../../embedded/stg-publisher.ts";
import { runBackfill } from "../../generator/backfill.ts";
import { donorPool } from "../../generator/scenario/donors.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { prove } from "../../warehouse/ledger/prove.ts";
import { totalOf } from "../../warehouse/loader/load.ts";
import { waitForMerges } from "../batch.ts";
import { peakMiB } from "../process.ts";
import { INCREMENT } from "./fit.ts";
import type { Hop, LayerSize, ScaleRun } from "./measurement.ts";

/** Messages per model day of `shop` at the demo's rate; the run reports the exact number. */
const MESSAGES_PER_DAY = 103_500;

/** Measures a history of about `messages`, and an incremental load of one more percent. */
export async function measureRun(messages: number, directory: string): Promise<ScaleRun> {
  const days = Math.max(1, Math.round(messages / MESSAGES_PER_DAY));
  const config = demoConfig({ ...DEMO_DEFAULTS, days });
  const db = await openFresh(directory);
  const meter = new Meter();
  try {
    const { state, result } = await meter.measure("generate into stg", () => generate(db, config));
    await load(db, meter, true, "");
    await meter.measure("prove", () => proveAll(db));
    await meter.measure("merges", () => waitForMerges(db));
    const layers = await layerSizes(db);
    const publisher = await StgPublisher.open(db);
    const tEnd = state.model_time_us + Math.round((days * DAY) / 100);
    const more = { ...config, tEnd };
    const { manifest } = await runBackfill(more, donorPool(config), publisher, { from: state });
    await publisher.close();
    await waitForMerges(db);
    await load(db, meter, false, INCREMENT);
    const messages = result.report.messages ?? 0;
    const newMessages = totalOf(statementOf(manifest)) - messages;
    return { messages, newMessages, days, hops: meter.hops, layers };
  } finally {
    await db.close();
  }
}

async function load(db: ReadableDatabase, meter: Meter, fullRefresh: boolean, prefix: string) {
  await transform(db, {
    fullRefresh,
    waitSeconds: 1,
    onStart: () => meter.start(),
    onStep: ({ id }) => meter.stop(`${prefix}${id}`),
  });
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
  #wall = 0;
  #cpu = 0;

  start(): void {
    writeFileSync("/proc/self/clear_refs", "5"); // resets the peak
    this.#wall = performance.now();
    this.#cpu = ownCpuSeconds();
  }

  stop(hop: string): void {
    this.hops.push({
      hop,
      cpuSeconds: ownCpuSeconds() - this.#cpu,
      wallSeconds: (performance.now() - this.#wall) / 1000,
      peakMiB: peakMiB(process.pid),
    });
    console.error(JSON.stringify(this.hops.at(-1)));
  }

  async measure<T>(hop: string, work: () => Promise<T>): Promise<T> {
    this.start();
    const result = await work();
    this.stop(hop);
    return result;
  }
}

function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
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
