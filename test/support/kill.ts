import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readRecord } from "../../warehouse/engine/record.ts";
import { openTestEngine } from "./engine.ts";
import { generateMessages, type Message } from "./messages.ts";
import { newEpoch, publish } from "./pipeline.ts";

const CHILD = join(import.meta.dirname, "transform-child.ts");

export interface UndisturbedRun {
  /** Files of all statements in execution order. */
  readonly files: readonly string[];
  readonly digests: unknown;
  /** Wall-clock time of the run, ms. */
  readonly milliseconds: number;
}

export interface Run {
  readonly mode: "full" | "incremental";
  /** Overrides of plan parameters. */
  readonly params?: Readonly<Record<string, number>>;
}
/** What a kill ends: the command, the engine of its workspace, or both. */
export const VICTIMS = ["command", "engine", "both"] as const;

/** Time of a kill: before a statement, counted from 1, or after milliseconds. */
export type Kill = ({ readonly statement: number } | { readonly milliseconds: number }) & {
  /** Default: the command. */
  readonly victim?: (typeof VICTIMS)[number];
};

/** Adds raw messages for the next run on a data directory. */
export async function fill(
  directory: string,
  messages: readonly Message[],
  { inNewEpoch = false } = {},
): Promise<void> {
  await using engine = await openTestEngine({ directory });
  if (inNewEpoch) await newEpoch(engine.db);
  await publish(engine.db, messages);
}

/** Starting point of the kill tests, removed on disposal. */
export interface KillBase extends Disposable {
  /** Data directory with a finished first load and more raw messages, some of them repeats. */
  readonly directory: string;
  readonly messages: readonly Message[];
}

/** Creates the starting point; splits messages by time, so that sessions continue later. */
export async function prepareKillBase(): Promise<KillBase> {
  const directory = mkdtempSync(join(tmpdir(), "kill-base-"));
  const dispose = () => rmSync(directory, { recursive: true, force: true });
  try {
    const { messages } = await generateMessages("kill", 20);
    const inTime = messages.toSorted((a, b) => (a.emittedAt ?? 0) - (b.emittedAt ?? 0));
    const half = Math.floor(inTime.length / 2);
    await fill(directory, inTime.slice(0, half));
    await runUndisturbed(directory, { mode: "full" });
    await fill(directory, inTime.slice(half));
    await fill(directory, inTime.slice(0, 50), { inNewEpoch: true });
    return { directory, messages: inTime, [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** Passes a copy of a data directory to `work`, then removes the copy. */
export async function withCopy<T>(base: string, work: (copy: string) => Promise<T>): Promise<T> {
  return withEmpty((copy) => {
    cpSync(base, copy, { recursive: true, verbatimSymlinks: true });
    return work(copy);
  });
}

/** Passes an empty data directory to `work`, then removes the directory. */
export async function withEmpty<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "kill-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export async function runUndisturbed(directory: string, run: Run): Promise<UndisturbedRun> {
  const started = performance.now();
  const { output } = await start(directory, run);
  const result = JSON.parse(output) as Omit<UndisturbedRun, "milliseconds">;
  return { ...result, milliseconds: performance.now() - started };
}

/** Runs and kills. @returns true if the kill came before the end */
export async function runAndKill(directory: string, run: Run, kill: Kill): Promise<boolean> {
  const { code } = await start(directory, run, kill);
  return code !== 0;
}

/** Kills the processes of a run; the engine first, because the command would end it. */
export function killProcesses(
  directory: string,
  pid: number,
  victim: (typeof VICTIMS)[number] = "command",
): void {
  const engine = readRecord(directory)?.pid;
  const pids = [victim !== "command" && engine, victim !== "engine" && pid];
  for (const one of pids) if (one) process.kill(one, "SIGKILL");
}

async function start(directory: string, { mode, params = {} }: Run, kill?: Kill) {
  const statement = kill && "statement" in kill ? kill.statement : 0;
  const victim = kill?.victim ?? "command";
  const args = [CHILD, directory, mode, JSON.stringify(params), String(statement), victim];
  // A command whose engine was killed prints its error.
  const errors = victim === "engine" ? "ignore" : "inherit";
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", errors] });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const exit = once(child, "close");
  if (kill && "milliseconds" in kill) {
    await Promise.race([sleep(kill.milliseconds), exit]);
    if (child.exitCode === null && child.pid) killProcesses(directory, child.pid, victim);
  }
  const [code, signal] = (await exit) as [number | null, string | null];
  const isExpected = signal === "SIGKILL" || victim === "engine";
  if (code !== 0 && !isExpected) throw new Error(`the run ended with code ${code}`);
  return { output, code };
}
