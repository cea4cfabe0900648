/**
 * Runs the demo in two sizes, each in a separate process, and prints peak memory and CPU time per
 * message, which do not depend on other load.
 * node scripts/soak-embedded.ts [DAYS] [DAYS]     default 49 487: about 5 and 50 million messages
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { registerDemo } from "../cli/demo.ts";
import { formatCount, renderTable } from "../terminal/format.ts";

interface Measurement {
  readonly messages: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMiB: number;
}

async function runDemo(days: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "soak-"));
  const program = new Command();
  registerDemo(program);
  const args = [
    "demo",
    "--days",
    days,
    "--database",
    directory,
    "--report",
    join(directory, "r.html"),
  ];
  try {
    await program.parseAsync(args, { from: "user" });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  console.log(`MEASURED ${JSON.stringify({ cpuSeconds, peakMiB: maxRSS / 1024 })}`);
}

function measure(days: string): Measurement {
  const started = performance.now();
  const { stdout, status } = spawnSync(process.execPath, [import.meta.filename, "--child", days], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  console.log(stdout);
  if (status !== 0) throw new Error(`The demo of ${days} days failed`);
  const messages = Number(/messages ([\d,]+)/.exec(stdout)?.[1]?.replaceAll(",", ""));
  const usage = JSON.parse(/^MEASURED (.*)$/m.exec(stdout)?.[1] ?? "") as Measurement;
  return { ...usage, messages, wallSeconds: (performance.now() - started) / 1000 };
}

const [first = "49", second = "487"] = process.argv.slice(2);
if (first === "--child") await runDemo(second);
else {
  const rows = [first, second].map((days) => {
    const { messages, cpuSeconds, wallSeconds, peakMiB } = measure(days);
    const perMessage = (cpuSeconds / messages) * 1e6;
    return [
      days,
      formatCount(messages),
      cpuSeconds.toFixed(0),
      wallSeconds.toFixed(0),
      perMessage.toFixed(2),
      peakMiB.toFixed(0),
    ];
  });
  console.log(
    renderTable(["model days", "messages", "CPU s", "wall s", "CPU µs/message", "peak MiB"], rows),
  );
}
