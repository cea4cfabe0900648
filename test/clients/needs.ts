import { spawnSync } from "node:child_process";
import { missingNeeds as missingForKafka } from "../kafka/needs.ts";

const isMissing = (command: string, option: string): boolean =>
  spawnSync(command, [option]).status !== 0;

/** Lists missing requirements of the clients level; empty if it can run. */
export const missingNeeds = (): string[] => [
  ...(isMissing("go", "version") ? ["Go"] : []),
  ...(isMissing("javac", "-version") ? ["a JDK (no javac found)"] : []),
  ...missingForKafka(),
];
