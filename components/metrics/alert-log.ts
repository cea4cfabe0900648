import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generatorConfig } from "../generator/config.ts";
import { commonSpec, imageOf, type PlanContext } from "../shared/context.ts";
import { httpHealthCheck, IS_OK, QUICK_START } from "../shared/health.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ServicePlan,
} from "../shared/spec.ts";

const ALIAS = "alert-log";
const PORT = 8090;
const PROGRAM = "/opt/event-pipeline";
const SOURCE = join(import.meta.dirname, "../../dashboards/delivery/alert-log.mjs");

export interface AlertLogPlan {
  readonly service: ServicePlan;
  readonly url: string;
  readonly target: string;
  /** Reads a drill's samples from standard input. */
  readonly feed: readonly string[];
}

/** Contact point that logs alerts, for stacks without a webhook. */
export function planAlertLog(context: PlanContext): AlertLogPlan {
  const program: ConfigFile = { path: "alert-log.mjs", content: readFileSync(SOURCE, "utf8") };
  const config = configVolume("program", context.names.volume("alert-log-program"), [program]);
  const command = ["node", `${PROGRAM}/${program.path}`];
  const container: ContainerSpec = {
    ...commonSpec,
    role: "alert-log",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(context, generatorConfig.images, "node"),
    command,
    user: "1000:1000",
    mounts: [{ volume: config.volume, path: PROGRAM, readOnly: true }],
    tmpfs: ["/tmp"],
    health: { test: httpHealthCheck(PORT, "/healthz", IS_OK), ...QUICK_START },
    memoryMiB: 96,
    cpus: 0.2,
    graceSeconds: 5,
    startTexts: { program: program.content },
  };
  return {
    url: `http://${ALIAS}:${PORT}/alerts`,
    target: `${ALIAS}:${PORT}`,
    feed: ["docker", "exec", "--interactive", container.name, ...command, "feed"],
    service: {
      container,
      configs: [config],
      dataVolumes: [],
    },
  };
}
