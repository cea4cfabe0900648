import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const CLI = join(import.meta.dirname, "../../cli/main.ts");

export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** State folder of the tests, so that the developer's workspace stays unchanged. */
const STATE = join(tmpdir(), `pipeline-state-${process.pid}`);
process.once("exit", () => rmSync(STATE, { recursive: true, force: true }));

/** Returns the caller's environment without the pipeline's variables. */
export const cleanEnvironment = (): Record<string, string | undefined> => ({
  EVENT_PIPELINE_STATE: STATE,
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(GEN_|CLICKHOUSE_|KAFKA_)/.test(name)),
  ),
});

/** Runs the pipeline CLI as a user would, without the caller's pipeline variables. */
export function pipeline(args: readonly string[], env: Record<string, string> = {}): CliResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    encoding: "utf8",
    env: { ...cleanEnvironment(), ...env },
  });
  return { status, stdout, stderr };
}

/** Runs the pipeline CLI asynchronously. */
export function pipelineAsync(
  args: readonly string[],
  env: Readonly<NodeJS.ProcessEnv> = {},
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

/** Runs the pipeline CLI and kills it when the output contains `text`. @returns the output */
export const killOnOutput = (
  args: readonly string[],
  text: string,
  signal: NodeJS.Signals = "SIGKILL",
): Promise<string> =>
  runAndKill(args, (child, output) => {
    if (output.includes(text)) child.kill(signal);
  });

/** Runs the pipeline CLI and kills it after a time, unless it ends before. @returns the output */
export async function killAfter(
  args: readonly string[],
  milliseconds: number,
  signal: NodeJS.Signals,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const output = await runAndKill(args, (child) => {
    timer ??= setTimeout(() => child.kill(signal), milliseconds);
  });
  clearTimeout(timer);
  return output;
}

/** Runs the pipeline CLI. @param decide called at the start and with each output */
async function runAndKill(
  args: readonly string[],
  decide: (child: ChildProcess, output: string) => void,
): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: cleanEnvironment(),
  });
  let output = "";
  const read = (chunk: string) => {
    output += chunk;
    decide(child, output);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", read);
  decide(child, output);
  await new Promise((resolve) => child.once("close", resolve));
  return output;
}
