import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { UserError } from "../../contract/errors.ts";

const MAIN = join(import.meta.dirname, "../service/main.ts");

/** Runs a generator process, for at most `seconds`. @throws UserError with the last log lines */
export async function runGenerator(
  env: Readonly<Record<string, string>>,
  seconds?: number,
): Promise<void> {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      ...env,
      GENERATOR_HTTP_HOST: "127.0.0.1",
      GENERATOR_HTTP_PORT: "0",
    },
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output = (output + chunk).slice(-10_000);
  });
  const timer =
    seconds === undefined ? undefined : setTimeout(() => child.kill("SIGTERM"), seconds * 1000);
  const code = await exitOf(child);
  clearTimeout(timer);
  // A live generator keeps running after it refuses the instance, so look for the log line.
  const refusal = /"level":50.*/.exec(output)?.[0];
  if (code === 0 && !refusal) return;
  throw new UserError(`The generator failed: ${wordsOf(refusal ?? output)}`, nextOf(refusal));
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

const wordsOf = (line: string): string => /"msg":"([^"]*)"/.exec(line)?.[1] ?? line.trim();
const nextOf = (line: string | undefined): string | undefined =>
  /"hint":"([^"]*)"/.exec(line ?? "")?.[1];
