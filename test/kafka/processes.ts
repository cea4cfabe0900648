import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Starts a script of this folder; resolves at its first output line. */
export async function start(script: string, ...args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await Promise.race([once(child.stdout as NodeJS.ReadableStream, "data"), exitOf(child)]);
  return child;
}

/** Exit code, or null if a signal ended the process. */
export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

export async function kill9(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await exitOf(child);
}
