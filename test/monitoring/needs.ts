import { spawnSync } from "node:child_process";
import { missingNeeds as missingForKafka } from "../kafka/needs.ts";

/** Lists missing requirements of the monitoring level; empty if it can run. */
export const missingNeeds = (): string[] => [
  ...(spawnSync("go", ["version"]).status === 0
    ? []
    : ["Go (compiles Prometheus, promtool and statsd_exporter from their modules, once)"]),
  ...missingForKafka(),
];
