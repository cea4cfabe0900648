import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { BenchRow } from "./generator.ts";

const SOAK = join(import.meta.dirname, "../scripts/soak-embedded.ts");

/** Measures duration and peak memory of the demo in a separate process. */
export function benchDemo(): BenchRow[] {
  const { stdout } = spawnSync(process.execPath, [SOAK, "--child", "7"], { encoding: "utf8" });
  const seconds = Number(/Done in ([\d.]+) s/.exec(stdout)?.[1]);
  const usage = JSON.parse(/^MEASURED (.*)$/m.exec(stdout)?.[1] ?? "{}") as { peakMiB?: number };
  const plain = { reference: null, ratio: null };
  return [
    { name: "demo, 7 model days", value: seconds, unit: "s", ...plain, atMost: 15 },
    {
      name: "peak memory of the demo",
      value: Math.round(usage.peakMiB ?? Number.NaN),
      unit: "MiB",
      ...plain,
      atMost: 1434,
    },
  ];
}
