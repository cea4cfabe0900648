import { spawn } from "node:child_process";
import { join } from "node:path";
import { UserError } from "../contract/errors.ts";

const PROJECT_ROOT = join(import.meta.dirname, "..");

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Destination of the output; `capture` returns it. */
  readonly output: "show" | "capture";
}

/** Runs a program to its end, also after Ctrl+C. @throws UserError if it is not installed */
export async function execute(
  program: string,
  args: readonly string[],
  { env = process.env, output }: Options,
): Promise<Outcome> {
  const wait = () => undefined;
  process.on("SIGINT", wait);
  try {
    return await start(program, args, env, output);
  } finally {
    process.off("SIGINT", wait);
  }
}

function start(
  program: string,
  args: readonly string[],
  env: Options["env"],
  output: Options["output"],
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const stdio = output === "show" ? "inherit" : "pipe";
    const child = spawn(program, args, {
      cwd: PROJECT_ROOT,
      env: { ...env },
      stdio: ["inherit", stdio, stdio],
    });
    const read = { stdout: "", stderr: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      read.stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      read.stderr += text;
    });
    // What is shown ends as after Ctrl+C, so that Pulumi records what it has done.
    const stop = () => void (output === "show" && child.kill("SIGINT"));
    process.on("SIGTERM", stop).on("SIGHUP", stop);
    child.once("error", (error) => reject(notInstalledError(program, error)));
    child.once("close", (code) => {
      process.off("SIGTERM", stop).off("SIGHUP", stop);
      resolve({ code: code ?? 1, ...read });
    });
  });
}

const notInstalledError = (program: string, error: NodeJS.ErrnoException): unknown =>
  error.code === "ENOENT"
    ? new UserError(`${program} is not installed, or not in PATH`, INSTALL[program] ?? "run npm ci")
    : error;

const INSTALL: Readonly<Record<string, string>> = {
  docker: "install the Docker engine and command line, then run make doctor",
};

/** Runs `restore` on Ctrl+C, the newest first, then ends as the signal does. Returns its removal. */
export function onInterrupt(restore: () => void): () => void {
  const remove = () => void process.off("SIGINT", handle);
  const handle = () => {
    remove();
    restore();
    // Without a listener, the signal ends the process, so that make reports it.
    if (process.listenerCount("SIGINT") === 0) process.kill(process.pid, "SIGINT");
  };
  process.prependListener("SIGINT", handle);
  return remove;
}

/** Returns whether a process has this id, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
