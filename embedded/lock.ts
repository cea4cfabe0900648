import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Returns the process that holds the lock of a directory; undefined on systems other than Linux. */
export function lockHolder(directory: string): number | undefined {
  const status = statSync(join(directory, "status"), { throwIfNoEntry: false });
  if (status === undefined) return undefined;
  const file = `${deviceOf(status.dev)}:${status.ino}`;
  const held = readLocks().find((line) => line.includes(" FLOCK ") && line.includes(` ${file} `));
  return held === undefined ? undefined : Number(/WRITE\s+(-?\d+)/.exec(held)?.[1] ?? 0);
}

/** Returns major and minor number as in /proc/locks, such as `08:01`. */
function deviceOf(dev: number): string {
  const hex = (value: number) => value.toString(16).padStart(2, "0");
  const minor = (dev & 0xff) | (Math.floor(dev / 0x1000) & 0xfff00);
  return `${hex((dev >>> 8) & 0xfff)}:${hex(minor)}`;
}

function readLocks(): string[] {
  try {
    return readFileSync("/proc/locks", "utf8").split("\n");
  } catch {
    return [];
  }
}
