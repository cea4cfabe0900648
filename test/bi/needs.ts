import { spawnSync } from "node:child_process";
import { missingNeeds as pageNeeds } from "../page/needs.ts";

/** Lists missing requirements of the bi level; empty if it can run. */
export function missingNeeds(): string[] {
  const missing: string[] = [];
  const version = spawnSync("python3", ["--version"], { encoding: "utf8" });
  const minor = /^Python 3\.(\d+)/.exec(version.stdout ?? "")?.[1];
  if (minor === undefined || Number(minor) < 10 || Number(minor) > 12) {
    missing.push(`Python 3.10 to 3.12 (python3 is ${version.stdout?.trim() || "not there"})`);
  }
  return [...missing, ...pageNeeds()];
}
