/**
 * Measures the cost of Prometheus at the stack's scrape intervals. Exits with 1 if a limit is exceeded.
 * Has the requirements of the `monitoring` test level; `--url` measures that of a running stack instead.
 * node bench/monitoring.ts [--seconds 300] [--url http://localhost:9090]
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { AS_CONFIGURED, WatchedPipeline } from "../test/monitoring/watched.ts";
import { type BenchRow, report } from "./verdict.ts";

const MIB = 1024 ** 2;
const POLL_MS = 5_000;
/** Wait after the start, ms, in which Prometheus reads rules and creates series. */
const SETTLE_MS = 60_000;
const LIMITS = { percentOfCore: 2, mebibytes: 300 };

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

const row = (name: string, value: number, unit: string, atMost: number): BenchRow => ({
  name,
  value: Number(value.toFixed(2)),
  unit,
  atMost,
});

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "300" }, url: { type: "string" } },
});
const seconds = Number(values.seconds);
const rows = values.url ? await atRest(values.url, seconds) : await ownPrometheus(seconds);
report(rows, { value: "measured", unit: "unit" });
