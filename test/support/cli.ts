import { spawnSync } from "node:child_process";
import { join } from "node:path";

const CLI = join(import.meta.dirname, "../../pipeline/cli.ts");

export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the pipeline CLI as a user would, without what the caller's environment sets for it. */
export function pipeline(args: readonly string[], env: Record<string, string> = {}): CliResult {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(GEN_|CLICKHOUSE_|KAFKA_)/.test(name)),
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    encoding: "utf8",
    env: { ...inherited, ...env },
  });
  return { status, stdout, stderr };
}
