import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const CLI = join(import.meta.dirname, "../../cli/main.ts");

export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Tests leave the developer's own workspace as it is. */
const STATE = join(tmpdir(), `pipeline-state-${process.pid}`);
process.once("exit", () => rmSync(STATE, { recursive: true, force: true }));

/** Without what the caller's environment sets for the pipeline. */
export const cleanEnvironment = (): Record<string, string | undefined> => ({
  EVENT_PIPELINE_STATE: STATE,
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(GEN_|CLICKHOUSE_|KAFKA_)/.test(name)),
  ),
});

/** Runs the pipeline CLI as a user would, without what the caller's environment sets for it. */
export function pipeline(args: readonly string[], env: Record<string, string> = {}): CliResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    encoding: "utf8",
    env: { ...cleanEnvironment(), ...env },
  });
  return { status, stdout, stderr };
}

/** The same while this process goes on. */
export function pipelineAsync(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...cleanEnvironment(), ...env },
  });
  const read = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    read.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    read.stderr += text;
  });
  return new Promise((resolve) => child.once("close", (status) => resolve({ status, ...read })));
}

/** Kills it once its output, of both kinds, holds `text`; returns the output. */
export async function killOnOutput(args: readonly string[], text: string): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: cleanEnvironment(),
  });
  let output = "";
  const read = (chunk: string) => {
    output += chunk;
    if (output.includes(text)) child.kill("SIGKILL");
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", read);
  await new Promise((resolve) => child.once("close", resolve));
  return output;
}
