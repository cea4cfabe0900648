/**
 * Measures the demo in a separate process: duration, peak memory and time per message.
 * node bench/demo.ts [DAYS ...]     default 116 487: about 12 and 50 million messages
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runHistory } from "../cli/demo.ts";
import { STREAMS } from "../contract/streams.ts";
import { formatCount, renderTable } from "../terminal/format.ts";
import { DEMO_DEFAULTS, demoConfig } from "../warehouse/demo/config.ts";
import type { BenchRow } from "./verdict.ts";

interface Measurement {
  readonly messages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

/** Returns the rows of `make bench`. */
export async function benchDemo(): Promise<BenchRow[]> {
  const { seconds, peakMiB } = await measure(7);
  const plain = { reference: null, ratio: null };
  return [
    { name: "demo, 7 model days", value: seconds, unit: "s", ...plain, atMost: 15 },
    {
      name: "peak memory of the demo",
      value: Math.round(peakMiB),
      unit: "MiB",
      ...plain,
      atMost: 1434,
    },
  ];
}

/** Runs the demo in a process of its own, whose peak memory is the demo's. */
async function measure(days: number): Promise<Measurement> {
  const child = fork(import.meta.filename, ["--child", `${days}`], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const measured = once(child, "message");
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`The demo of ${days} days ended with code ${code} and without a measurement`);
  });
  const [measurement] = await Promise.race([measured, failed]);
  return measurement as Measurement;
}

async function runDemo(days: number): Promise<Measurement> {
  const directory = mkdtempSync(join(tmpdir(), "bench-demo-"));
  const [database, report] = [directory, join(directory, "report.html")];
  const run = { database, report, command: "demo", again: "make bench", next: () => "" };
  const started = performance.now();
  try {
    const { counts } = await runHistory(demoConfig({ ...DEMO_DEFAULTS, days }), run);
    const seconds = (performance.now() - started) / 1000;
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    return {
      messages: STREAMS.reduce((sum, stream) => sum + counts[stream], 0),
      seconds,
      cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
      peakMiB: maxRSS / 1024,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function printTable(allDays: readonly number[]): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const days of allDays) {
    const { messages, seconds, cpuSeconds, peakMiB } = await measure(days);
    const perMessage = (all: number): string => ((all / messages) * 1e6).toFixed(1);
    const count = formatCount(messages);
    rows.push([days, count, perMessage(seconds), perMessage(cpuSeconds), peakMiB.toFixed(0)]);
  }
  const head = ["model days", "messages", "µs/message", "CPU µs/message", "peak MiB"];
  console.log(renderTable(head, rows));
}

if (import.meta.main) {
  const [first, ...rest] = process.argv.slice(2);
  if (first === "--child") process.send?.(await runDemo(Number(rest[0])), () => process.exit());
  else await printTable(first === undefined ? [116, 487] : [first, ...rest].map(Number));
}
