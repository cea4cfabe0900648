import { spawnSync } from "node:child_process";

const JAVA_MINIMUM = 17;

/** Lists missing requirements of the kafka level; empty if it can run. */
export function missingNeeds(): string[] {
  const missing: string[] = [];
  const java = javaMajor();
  if (java === undefined) missing.push(`Java ${JAVA_MINIMUM} or newer (no java found)`);
  else if (java < JAVA_MINIMUM) {
    missing.push(`Java ${JAVA_MINIMUM} or newer (java is version ${java})`);
  }
  if (spawnSync("mvn", ["--version"]).status !== 0) missing.push("Maven (no mvn found)");
  return missing;
}

function javaMajor(): number | undefined {
  const { status, stderr } = spawnSync("java", ["-version"], { encoding: "utf8" });
  const version = status === 0 ? /version "(\d+)/.exec(stderr)?.[1] : undefined;
  return version === undefined ? undefined : Number(version);
}
