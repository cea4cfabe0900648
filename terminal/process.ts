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
  /** `capture` returns the output. */
  readonly output: "show" | "capture";
}

/** Waits after Ctrl+C, which reaches the program too. @throws UserError without such a program */
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
    child.once("error", (error) => reject(missing(program, error)));
    child.once("close", (code) => resolve({ code: code ?? 1, ...read }));
  });
}

const missing = (program: string, error: NodeJS.ErrnoException): unknown =>
  error.code === "ENOENT"
    ? new UserError(`${program} is not installed, or not in PATH`, INSTALL[program] ?? "npm ci")
    : error;

const INSTALL: Readonly<Record<string, string>> = {
  docker: "install the Docker engine with its command line, then make doctor",
};
