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
import { readPlan } from "../../warehouse/batch/plan.ts";
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
  try {
    const meter = new Meter(db);
    await meter.warmUp();
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
  for (const { id } of readPlan().steps) {
    const options = { fullRefresh, waitSeconds: 1, only: id };
    await meter.measure(`${prefix}${id}`, () => transform(db, options));
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

/** Fixed work that computes and reads memory at random, like joins and aggregates. */
const REFERENCE = "SELECT uniqExact(cityHash64(number)) AS n FROM numbers(5000000)";

/** Measures processor time and peak memory of this process, which includes the engine. */
class Meter {
  readonly hops: Hop[] = [];
  readonly #db: ReadableDatabase;

  constructor(db: ReadableDatabase) {
    this.#db = db;
  }

  async measure<T>(hop: string, work: () => Promise<T>): Promise<T> {
    const before = await this.#reference();
    writeFileSync("/proc/self/clear_refs", "5"); // resets the peak
    const [wall, cpu] = [performance.now(), ownCpuSeconds()];
    const result = await work();
    const measured = {
      hop,
      cpuSeconds: ownCpuSeconds() - cpu,
      wallSeconds: (performance.now() - wall) / 1000,
      peakMiB: peakMiB(process.pid),
    };
    const referenceSeconds = (before + (await this.#reference())) / 2;
    this.hops.push({ ...measured, referenceSeconds });
    console.error(JSON.stringify(this.hops.at(-1)));
    return result;
  }

  /** Runs the fixed work once, because the first run is slower. */
  async warmUp(): Promise<void> {
    await this.#reference();
  }

  async #reference(): Promise<number> {
    const cpu = ownCpuSeconds();
    await this.#db.rows(REFERENCE);
    return ownCpuSeconds() - cpu;
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
