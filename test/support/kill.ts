import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const CHILD = join(import.meta.dirname, "transform-child.ts");

export interface Undisturbed {
  readonly statements: number;
  readonly digests: unknown;
  /** Wall time of the run, milliseconds. */
  readonly milliseconds: number;
}

export type Mode = "full" | "incremental";
/** Before a statement file, counted from 1, or after a time in milliseconds. */
export type Kill = { readonly statement: number } | { readonly milliseconds: number };

/** A copy of a data directory, removed after `work`. */
export async function withCopy<T>(base: string, work: (copy: string) => Promise<T>): Promise<T> {
  const copy = mkdtempSync(join(tmpdir(), "kill-"));
  try {
    cpSync(base, copy, { recursive: true, verbatimSymlinks: true });
    return await work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

export async function runUndisturbed(directory: string, mode: Mode): Promise<Undisturbed> {
  const started = performance.now();
  const { output } = await run(directory, mode);
  const result = JSON.parse(output) as Omit<Undisturbed, "milliseconds">;
  return { ...result, milliseconds: performance.now() - started };
}

/** Runs and kills; returns whether the kill came before the end. */
export async function runAndKill(directory: string, mode: Mode, kill: Kill): Promise<boolean> {
  const { signal } = await run(directory, mode, kill);
  return signal === "SIGKILL";
}

async function run(directory: string, mode: Mode, kill?: Kill) {
  const statement = kill && "statement" in kill ? kill.statement : 0;
  const args = [CHILD, directory, mode, String(statement)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const exit = once(child, "close");
  if (kill && "milliseconds" in kill) {
    await Promise.race([sleep(kill.milliseconds), exit]);
    child.kill("SIGKILL");
  }
  const [code, signal] = (await exit) as [number | null, string | null];
  if (code !== 0 && signal !== "SIGKILL") throw new Error(`the run ended with code ${code}`);
  return { output, signal };
}
