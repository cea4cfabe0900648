/**
 * Drill: runs a stack in live mode with the lowest memory limits that the configuration allows.
 * Loads a week of history, rebuilds every layer beside the live generator and queries every chart.
 * Prints each service's peak memory; exits with 1 if a service was killed or restarted.
 * Usage: node test/stack/least-memory.ts [file=test/stack/whole.yaml].
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { CONFIG_BLOCKS } from "../../components/config.ts";
import {
  docker,
  forgetState,
  operate,
  operateEnvironment,
  ROOT,
  services,
  writeFile,
} from "./operator.ts";

const STACK = "least";
const base = process.argv[2] ?? "test/stack/whole.yaml";

/** Configuration with every limit at the schema's minimum. */
function leastLimits(): Record<string, Record<string, number>> {
  const blocks = Object.entries(CONFIG_BLOCKS).map(([block, [schema]]) => {
    const fields = Object.entries<z.ZodType>(schema?.shape ?? {}).filter(([key]) =>
      /memoryMiB$/i.test(key),
    );
    return [
      block,
      Object.fromEntries(fields.map(([key, field]) => [key, leastOf(field)])),
    ] as const;
  });
  return Object.fromEntries(blocks.filter(([, limits]) => Object.keys(limits).length > 0));
}

function leastOf(field: z.ZodType): number {
  const { minimum } = z.toJSONSchema(field, { io: "input" });
  if (minimum === undefined) throw new Error("a limit without a least value");
  return minimum;
}

const settings = z.looseObject({
  config: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
});

/** Settings of the base file with the lowest limits. */
function leastConfig(): string {
  const { config = {} } = settings.parse(parse(readFileSync(join(ROOT, base), "utf8")));
  for (const [block, limits] of Object.entries(leastLimits())) {
    const key = `event-pipeline:${block}`;
    config[key] = { ...config[key], ...limits };
  }
  config["event-pipeline:network"] = { ...config["event-pipeline:network"], portOffset: 18_000 };
  const file = "least.yaml";
  writeFile(file, stringify({ config }));
  return file;
}

const run = promisify(execFile);

/** Runs `pipeline stack …` and samples the memory meanwhile. */
const succeed = (...args: string[]) =>
  run(process.execPath, ["cli/main.ts", "stack", ...args], {
    cwd: ROOT,
    env: operateEnvironment(),
    maxBuffer: 64 * 1024 * 1024,
  });

const INTERVAL_MS = 2_000;

/** Highest sample of each service from `docker stats`, MiB. */
class MemoryWatch {
  readonly #peaks = new Map<string, { used: number; limit: number }>();
  readonly #timer = setInterval(() => this.#look(), INTERVAL_MS);

  #look(): void {
    const ids = services(STACK);
    for (const [service, id] of Object.entries(ids)) {
      const text = docker("stats", "--no-stream", "--format", "{{.MemUsage}}", id);
      const [used = 0, limit = 0] = text.split("/").map(mebibytes);
      if (used >= (this.#peaks.get(service)?.used ?? 0)) this.#peaks.set(service, { used, limit });
    }
  }

  stop(): ReadonlyMap<string, { readonly used: number; readonly limit: number }> {
    clearInterval(this.#timer);
    return this.#peaks;
  }
}

const UNITS: Readonly<Record<string, number>> = { B: 2 ** -20, KiB: 2 ** -10, MiB: 1, GiB: 1024 };

/** Parses a size such as `230.6MiB`. */
function mebibytes(text: string): number {
  const [, amount = "0", unit = ""] = /^([\d.]+)([KMG]iB|B)$/.exec(text.trim()) ?? [];
  return Math.round(Number(amount) * (UNITS[unit] ?? 0));
}

/** Services that were restarted or killed for lack of memory. */
function hasDied(id: string): boolean {
  const format = "{{.RestartCount}} {{.State.OOMKilled}} {{.State.Running}}";
  return docker("inspect", "--format", format, id) !== "0 false true";
}

try {
  const config = leastConfig();
  const watch = new MemoryWatch();
  const on = ["--stack", STACK];
  await succeed("up", ...on, "--config", config, "--mode", "live");
  await succeed("run", ...on, "--", "dag", "run", "etl_pipeline", "--wait", "900");
  await succeed("run", ...on, "bi-init");
  await succeed("run", ...on, "prove");
  const peaks = watch.stop();
  const ids = services(STACK);
  for (const [service, { used, limit }] of peaks) {
    const end = hasDied(ids[service] ?? "") ? "DIED" : "lives";
    console.log(`${service.padEnd(16)} ${used} of ${limit} MiB  ${end}`);
    if (end === "DIED") process.exitCode = 1;
  }
} finally {
  operate(STACK, "clean");
  forgetState();
}
