import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../contract/files.ts";
import { lockHolder } from "./lock.ts";

interface ServerRecord {
  readonly url: string;
  readonly pid: number;
}

const fileOf = (directory: string): string => join(directory, "served.json");

export const writeServerAddress = (directory: string, url: string): void =>
  writeWhole(fileOf(directory), JSON.stringify({ url, pid: process.pid } satisfies ServerRecord));

export const removeServerAddress = (directory: string): void =>
  rmSync(fileOf(directory), { force: true });

/** Returns the address of the process that serves a directory; ignores files of killed processes. */
export function readServerAddress(directory: string): string | undefined {
  const served = read(directory);
  if (served === undefined || !isAlive(served.pid)) return undefined;
  const holder = lockHolder(directory);
  // Only Linux reports lock holders; on other systems, any running process counts.
  const isHolder = process.platform !== "linux" || holder === served.pid;
  return isHolder ? served.url : undefined;
}

function read(directory: string): ServerRecord | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(directory), "utf8")) as ServerRecord;
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
