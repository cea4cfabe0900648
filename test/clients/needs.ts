import { spawnSync } from "node:child_process";
import { missingNeeds as missingForKafka } from "../kafka/needs.ts";

const isMissing = (command: string, option: string): boolean =>
  spawnSync(command, [option]).status !== 0;

/** Returns whether python3 is of a version for which the packages of the tests are locked. */
function isPythonMissing(): boolean {
  const check = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
  return spawnSync("python3", ["-c", check]).status !== 0;
}

/** Lists missing requirements of the clients level; empty if it can run. */
export const missingNeeds = (): string[] => [
  ...(isMissing("go", "version") ? ["Go"] : []),
  ...(isMissing("javac", "-version") ? ["a JDK (no javac found)"] : []),
  ...(isPythonMissing() ? ["Python 3.11 or newer with venv"] : []),
  ...missingForKafka(),
];
