import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generatorConfig } from "../generator/config.ts";
import { HTTP_200_PATTERN, httpHealthCheck, QUICK_START } from "../shared/health.ts";
import { commonSpec, imageOf, type Placement } from "../shared/placement.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
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
}

/** Contact point that logs alerts, for stacks without a webhook. */
export function planAlertLog(config: AlertLogConfig, at: Placement): AlertLogPlan {
  const program: ConfigFile = { path: "alert-log.mjs", content: readFileSync(SOURCE, "utf8") };
  const files = configVolume("program", at.names.volume("alert-log-program"), PROGRAM, [program]);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "alert-log",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(at, generatorConfig.images, "node"),
    command: ["node", `${PROGRAM}/${program.path}`],
    user: "1000:1000",
    health: { test: httpHealthCheck(PORT, "/healthz", HTTP_200_PATTERN), ...QUICK_START },
    memoryMiB: config.memoryMiB,
    cpus: config.cpus,
    graceSeconds: 5,
    replaceTriggers: { program: program.content },
  };
  return {
    url: `http://${ALIAS}:${PORT}/alerts`,
    service: servicePlan({ container, configs: [files] }),
  };
}
