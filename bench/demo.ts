/**
 * Measures the demo in a separate process: duration, peak memory and time per message.
 * node bench/demo.ts [DAYS ...]     default 116 487: about 12 and 50 million messages
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runHistory } from "../cli/demo.ts";
import { STREAMS } from "../contract/streams.ts";
import { formatCount, renderTable } from "../terminal/format.ts";
import { DEMO_DEFAULTS, demoConfig } from "../warehouse/demo/config.ts";
import { readRecord } from "../warehouse/engine/record.ts";
import { withEngine } from "./history.ts";
import { memoryOf, ownCpuSeconds, secondsOf } from "./measure.ts";
import type { BenchRow } from "./verdict.ts";

const SAMPLE_MS = 500;

interface Timing {
  readonly messages: number;
  readonly seconds: number;
  /** Of the command, without its engine. */
  readonly cpuSeconds: number;
}

interface Measurement extends Timing {
  /** Of the command and its engine together. */
  readonly peakMiB: number;
}

/** Returns the rows of `make bench`. */
export async function benchDemo(): Promise<BenchRow[]> {
  const { seconds, peakMiB } = await measure(7);
  const reference = await timeHashes();
  return [
    {
      name: "demo of 7 model days, compared with 100 million hashes in the engine",
      value: Number(seconds.toFixed(2)),
      unit: "s",
      reference: Number(reference.toFixed(2)),
      ratio: Number((seconds / reference).toFixed(2)),
      atMost: 10,
    },
    {
      name: "peak memory of the demo and its engine",
      value: Math.round(peakMiB),
      unit: "MiB",
      atMost: 1434,
    },
  ];
}

/** Returns the seconds of work that keeps every core busy, and needs neither memory nor a disk. */
const timeHashes = (): Promise<number> =>
  withEngine((db) =>
    secondsOf(() => db.rows("SELECT sum(sipHash64(toString(number))) FROM numbers_mt(100000000)")),
  );

/** Runs the demo in a process of its own. */
async function measure(days: number): Promise<Measurement> {
  const directory = mkdtempSync(join(tmpdir(), "bench-demo-"));
  const child = fork(import.meta.filename, ["--child", `${days}`, directory], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const peak = peakOf(child, directory);
  const measured = once(child, "message");
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`The demo of ${days} days ended with code ${code} and without a measurement`);
  });
  try {
    const [timing] = await Promise.race([measured, failed]);
    return { ...(timing as Timing), peakMiB: await peak };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns the highest sum of the memory of a command and the engine of its workspace, when the command has ended. */
async function peakOf(command: ChildProcess, directory: string): Promise<number> {
  let peak = 0;
  while (command.exitCode === null && command.signalCode === null) {
    const pids = [command.pid, readRecord(directory)?.pid].filter((pid) => pid !== undefined);
    peak = Math.max(peak, await memoryOf(...pids));
    await sleep(SAMPLE_MS);
  }
  return peak;
}

async function runDemo(days: number, directory: string): Promise<Timing> {
  const [database, report] = [directory, join(directory, "report.html")];
  const run = { database, report, command: "demo", again: "make bench", next: () => "" };
  const started = performance.now();
  const { counts } = await runHistory(demoConfig({ ...DEMO_DEFAULTS, days }), run);
  return {
    messages: STREAMS.reduce((sum, stream) => sum + counts[stream], 0),
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: ownCpuSeconds(),
  };
}

async function printTable(allDays: readonly number[]): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const days of allDays) {
    const { messages, seconds, cpuSeconds, peakMiB } = await measure(days);
    const perMessage = (all: number): string => ((all / messages) * 1e6).toFixed(1);
    const count = formatCount(messages);
    rows.push([days, count, perMessage(seconds), perMessage(cpuSeconds), peakMiB.toFixed(0)]);
  }
  const head = [
    "model days",
    "messages",
    "µs/message",
    "CPU µs/message of the command",
    "peak MiB",
  ];
  console.log(renderTable(head, rows));
}

if (import.meta.main) {
  const [first, ...rest] = process.argv.slice(2);
  if (first === "--child")
    process.send?.(await runDemo(Number(rest[0]), rest[1] ?? ""), () => process.exit());
  else await printTable(first === undefined ? [116, 487] : [first, ...rest].map(Number));
}
