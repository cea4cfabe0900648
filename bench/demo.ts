/**
 * Measures the demo in a separate process: duration, peak memory and time per message.
 * node bench/demo.ts [DAYS ...]     default 116 487: about 12 and 50 million messages
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { registerDemo } from "../cli/demo.ts";
import { formatCount, renderTable } from "../terminal/format.ts";
import type { BenchRow } from "./verdict.ts";

interface Measurement {
  readonly messages: number;
  /** Of the demo, as it prints it. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

/** Returns the rows of `make bench`. */
export function benchDemo(): BenchRow[] {
  const { seconds, peakMiB } = measure("7");
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

function measure(days: string): Measurement {
  const { stdout, status } = spawnSync(process.execPath, [import.meta.filename, "--child", days], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`The demo of ${days} days failed\n${stdout}`);
  const usage = JSON.parse(/^MEASURED (.*)$/m.exec(stdout)?.[1] ?? "") as Measurement;
  return {
    ...usage,
    messages: Number(/messages ([\d,]+)/.exec(stdout)?.[1]?.replaceAll(",", "")),
    seconds: Number(/Done in ([\d.]+) s/.exec(stdout)?.[1]),
  };
}

async function runDemo(days: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "bench-demo-"));
  const program = new Command();
  registerDemo(program);
  const files = ["--database", directory, "--report", join(directory, "r.html")];
  try {
    await program.parseAsync(["demo", "--days", days, ...files], { from: "user" });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  console.log(`MEASURED ${JSON.stringify({ cpuSeconds, peakMiB: maxRSS / 1024 })}`);
}

function printTable(allDays: readonly string[]): void {
  const rows = allDays.map((days) => {
    const { messages, seconds, cpuSeconds, peakMiB } = measure(days);
    const perMessage = (all: number): string => ((all / messages) * 1e6).toFixed(1);
    const count = formatCount(messages);
    return [days, count, perMessage(seconds), perMessage(cpuSeconds), peakMiB.toFixed(0)];
  });
  const head = ["model days", "messages", "µs/message", "CPU µs/message", "peak MiB"];
  console.log(renderTable(head, rows));
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  if (args[0] === "--child") await runDemo(args[1] ?? "7");
  else printTable(args.length > 0 ? args : ["116", "487"]);
}
