import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../contract/files.ts";
import { lockHolder } from "./lock.ts";

/** The process that serves a data directory over HTTP, and its address. */
interface Served {
  readonly url: string;
  readonly pid: number;
}

const fileOf = (directory: string): string => join(directory, "served.json");

/** Writes the address into the data directory, where other commands find it. */
export const announceServed = (directory: string, url: string): void =>
  writeWhole(fileOf(directory), JSON.stringify({ url, pid: process.pid } satisfies Served));

export const withdrawServed = (directory: string): void =>
  rmSync(fileOf(directory), { force: true });

/** Address of the process that serves `directory` now; undefined for what a killed one has left. */
export function servedAt(directory: string): string | undefined {
  const served = read(directory);
  if (served === undefined || !isAlive(served.pid)) return undefined;
  const holder = lockHolder(directory);
  // Only Linux reports holders; elsewhere a living process is believed.
  const isHolder = process.platform !== "linux" || holder === served.pid;
  return isHolder ? served.url : undefined;
}

function read(directory: string): Served | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(directory), "utf8")) as Served;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
