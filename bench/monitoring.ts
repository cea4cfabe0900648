/**
 * Measures the cost of monitoring: Prometheus at the stack's scrape intervals, and the view of the
 * pipeline's metrics. Exits with 1 if a limit is exceeded. Has the requirements of the `monitoring`
 * test level; `--url` measures the Prometheus of a running stack instead.
 * npm run bench:monitoring -- [--seconds 300] [--url http://localhost:9090]
 * BENCH_EVENTS: page events in the view's tables, 5,000,000 by default
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { EmbeddedEngine } from "../embedded/engine.ts";
import { AS_CONFIGURED, WatchedPipeline } from "../test/monitoring/watched.ts";
import { transform } from "../warehouse/batch/transform.ts";
import { waitForMerges } from "./batch.ts";
import type { BenchRow } from "./generator.ts";
import { appendDays, EVENTS_PER_DAY, withEngine } from "./history.ts";
import { ownCpuSeconds } from "./process.ts";
import { report } from "./verdict.ts";

const MIB = 1024 ** 2;
const POLL_MS = 5_000;
/** Wait after the start, ms, in which Prometheus reads rules and creates series. */
const SETTLE_MS = 60_000;
const LIMITS = { percentOfCore: 2, mebibytes: 300 };
const ROUNDS = 3;
const ASKED_EVERY = 30;

interface Sample {
  readonly cpuSeconds: number;
  readonly bytes: number;
  readonly series: number;
}

async function sample(url: string): Promise<Sample> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  return {
    cpuSeconds: value("process_cpu_seconds_total"),
    bytes: value("process_resident_memory_bytes"),
    series: value("prometheus_tsdb_head_series"),
  };
}

async function atRest(url: string, seconds: number): Promise<BenchRow[]> {
  const first = await sample(url);
  const started = performance.now();
  let last = first;
  let peak = first.bytes;
  while (performance.now() - started < seconds * 1000) {
    await sleep(POLL_MS);
    last = await sample(url);
    peak = Math.max(peak, last.bytes);
  }
  const elapsed = (performance.now() - started) / 1000;
  const percent = (100 * (last.cpuSeconds - first.cpuSeconds)) / elapsed;
  const name = `Prometheus at rest, ${last.series} series`;
  return [
    row(`${name}: share of one core`, percent, "%", LIMITS.percentOfCore),
    row(`${name}: peak memory`, peak / MIB, "MiB", LIMITS.mebibytes),
  ];
}

async function ownPrometheus(seconds: number): Promise<BenchRow[]> {
  const watched = await WatchedPipeline.open(AS_CONFIGURED);
  try {
    await sleep(SETTLE_MS);
    return await atRest(watched.prometheus.url, seconds);
  } finally {
    await watched.close();
  }
}

/** Measures the view over this number of page events, on the embedded engine; best of three. */
const viewRows = (events: number): Promise<BenchRow[]> =>
  withEngine(async (db) => {
    await appendDays(db, events / EVENTS_PER_DAY);
    await transform(db, { fullRefresh: true, waitSeconds: 1 });
    await waitForMerges(db);
    const rounds: { seconds: number; cpu: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await askView(db));
    const cpu = Math.min(...rounds.map((one) => one.cpu));
    const name = `v_pipeline_metrics over ${events} page events`;
    return [
      row(`${name}: time`, Math.min(...rounds.map(({ seconds }) => seconds)), "s"),
      row(`${name}: CPU time`, cpu, "s"),
      row(`${name}: share of one core, every ${ASKED_EVERY} s`, (100 * cpu) / ASKED_EVERY, "%"),
    ];
  });

async function askView(db: EmbeddedEngine): Promise<{ seconds: number; cpu: number }> {
  const started = performance.now();
  const before = ownCpuSeconds();
  await db.rows("SELECT * FROM dm_internal.v_pipeline_metrics");
  return { seconds: (performance.now() - started) / 1000, cpu: ownCpuSeconds() - before };
}

const row = (name: string, value: number, unit: string, atMost?: number): BenchRow => ({
  name,
  value: Number(value.toFixed(2)),
  unit,
  reference: null,
  ratio: null,
  ...(atMost === undefined ? {} : { atMost }),
});

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "300" }, url: { type: "string" } },
});
const seconds = Number(values.seconds);
const rows = [
  ...(values.url ? await atRest(values.url, seconds) : await ownPrometheus(seconds)),
  ...(await viewRows(Number(process.env.BENCH_EVENTS ?? 5_000_000))),
];
report(rows, { value: "measured", unit: "unit" });
