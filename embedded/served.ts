import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../contract/files.ts";
import { lockHolder } from "./lock.ts";

interface Served {
  readonly url: string;
  readonly pid: number;
}

const fileOf = (directory: string): string => join(directory, "served.json");

export const announceServed = (directory: string, url: string): void =>
  writeWhole(fileOf(directory), JSON.stringify({ url, pid: process.pid } satisfies Served));

export const withdrawServed = (directory: string): void =>
  rmSync(fileOf(directory), { force: true });

/** Ignores the file of a killed process. */
export function servedAt(directory: string): string | undefined {
  const served = read(directory);
  if (served === undefined || !isAlive(served.pid)) return undefined;
  const holder = lockHolder(directory);
  // Only Linux reports lock holders; elsewhere a running process counts as one.
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
