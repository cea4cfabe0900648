import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { STREAMS } from "../contract/streams.ts";
import { HOUR } from "../contract/time.ts";
import type { Simulation } from "../generator/model/simulation.ts";

/** Returns the median of an odd number of values. */
export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

/** Returns how long work takes, seconds. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Returns the memory of processes together, MiB; 0 if none runs. @throws if `ps` is missing or fails */
export async function memoryOf(...pids: readonly number[]): Promise<number> {
  const args = ["-o", "rss=", "-p", pids.join(",")];
  const { stdout } = await promisify(execFile)("ps", args).catch((error) => {
    // Without a running process, ps exits with 1 and reports nothing.
    if (error.code === 1 && error.stderr === "") return { stdout: "" };
    throw error;
  });
  return stdout.split("\n").reduce((sum, kibibytes) => sum + Number(kibibytes), 0) / 1024;
}

/** Advances a simulation by hours. @returns the number of messages */
export function advanceHours(simulation: Simulation, hours: number): number {
  const t0 = simulation.modelTime;
  let messages = 0;
  let broken = 0;
  for (let hour = 1; hour <= hours; hour += 1) {
    const batch = simulation.advance(t0 + hour * HOUR);
    for (const stream of STREAMS) {
      // The search for line ends forces V8 to concatenate every message.
      for (const value of batch[stream].values) broken += value.indexOf("\n") + 1;
      messages += batch[stream].values.length;
    }
  }
  if (broken > 0) throw new Error("A message contains a line break");
  return messages;
}

/** Processor seconds of this process. */
export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
