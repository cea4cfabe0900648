/**
 * Drill: a living stack whose services all have the least memory that the configuration allows.
 * Loads a week of history, builds every layer a second time beside the live generator and asks every
 * chart, then says what each service held at most, and whether one was killed or started again. Ends
 * with 1 if so.
 * Usage: node test/stack/least-memory.ts [file=test/stack/whole.yaml]. Prints one line per service.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { CONFIG_BLOCKS } from "../../components/config.ts";
import { watchMemory } from "../../pipeline/stack/manage/memory.ts";
import { memoryOfServices } from "../../pipeline/stack/manage/memory-use.ts";
import { execute } from "../../pipeline/stack/manage/process.ts";
import {
  docker,
  forgetState,
  operate,
  operateEnvironment,
  ROOT,
  services,
  writeConfig,
} from "./operator.ts";

const STACK = "least";
const base = process.argv[2] ?? "test/stack/whole.yaml";

/** Blocks of the configuration with each limit at its least, as the schema has it. */
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

/** The base's settings under the least limits. */
function leastConfig(): string {
  const { config = {} } = settings.parse(parse(readFileSync(join(ROOT, base), "utf8")));
  for (const [block, limits] of Object.entries(leastLimits())) {
    const key = `event-pipeline:${block}`;
    config[key] = { ...config[key], ...limits };
  }
  config["event-pipeline:network"] = { ...config["event-pipeline:network"], portOffset: 18_000 };
  return writeConfig("least", stringify({ config }));
}

/** Beside which the memory is watched. */
async function succeed(...args: string[]): Promise<void> {
  const program = ["pipeline/cli.ts", "stack", ...args];
  const { code, stdout, stderr } = await execute(process.execPath, program, {
    env: operateEnvironment(),
    output: "capture",
  });
  if (code !== 0) throw new Error(`${args.join(" ")} failed:\n${stdout}${stderr}`);
}

/** Started again, or killed for its memory. */
function hasDied(id: string): boolean {
  const format = "{{.RestartCount}} {{.State.OOMKilled}} {{.State.Running}}";
  return docker("inspect", "--format", format, id) !== "0 false true";
}

try {
  const config = leastConfig();
  const watch = watchMemory((signal) => memoryOfServices(STACK, signal));
  const on = ["--stack", STACK];
  await succeed("up", ...on, "--config", config, "--mode", "living");
  await succeed("run", ...on, "--", "dag", "run", "etl_pipeline", "--wait", "900");
  await succeed("run", ...on, "bi-init");
  await succeed("run", ...on, "prove");
  const { services: peaks } = await watch.stop();
  const ids = services(STACK);
  for (const { service, used, limit } of peaks) {
    const end = hasDied(ids[service] ?? "") ? "DIED" : "lives";
    console.log(`${service.padEnd(16)} ${used} of ${limit} MiB  ${end}`);
    if (end === "DIED") process.exitCode = 1;
  }
} finally {
  operate(STACK, "clean");
  forgetState();
}
