import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DRILL_JOB } from "../../dashboards/promql.ts";
import { generatorConfig } from "../generator/config.ts";
import { HTTP_200_PATTERN, httpHealthCheck, QUICK_START } from "../shared/health.ts";
import { commonSpec, imageOf, type Placement } from "../shared/placement.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ScrapeJob,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import type { AlertLogConfig } from "./config.ts";

const ALIAS = "alert-log";
const PORT = 8090;
const PROGRAM = "/opt/event-pipeline";
const SOURCE = join(import.meta.dirname, "../../dashboards/delivery/alert-log.mjs");

export interface AlertLogPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly url: string;
  /** Command that reads a drill's samples from standard input. */
  readonly feed: readonly string[];
}

export const drillJob = (target: string): ScrapeJob => ({
  job: DRILL_JOB,
  target,
  // A drill's samples have the label of the job that they imitate.
  settings: { honor_labels: true, scrape_interval: "5s" },
});

/** Contact point that logs alerts, for stacks without a webhook. */
export function planAlertLog(config: AlertLogConfig, at: Placement): AlertLogPlan {
  const program: ConfigFile = { path: "alert-log.mjs", content: readFileSync(SOURCE, "utf8") };
  const files = configVolume("program", at.names.volume("alert-log-program"), PROGRAM, [program]);
  const command = ["node", `${PROGRAM}/${program.path}`];
  const container: ContainerSpec = {
    ...commonSpec,
    role: "alert-log",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(at, generatorConfig.images, "node"),
    command,
    user: "1000:1000",
    tmpfs: ["/tmp"],
    health: { test: httpHealthCheck(PORT, "/healthz", HTTP_200_PATTERN), ...QUICK_START },
    memoryMiB: config.memoryMiB,
    cpus: config.cpus,
    graceSeconds: 5,
    replaceTriggers: { program: program.content },
  };
  return {
    url: `http://${ALIAS}:${PORT}/alerts`,
    scrape: [drillJob(`${ALIAS}:${PORT}`)],
    feed: ["docker", "exec", "--interactive", container.name, ...command, "feed"],
    service: servicePlan({ container, configs: [files] }),
  };
}
