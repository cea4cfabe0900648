import { stringify } from "yaml";
import { statsdMapping } from "../../dashboards/delivery/statsd-mapping.ts";
import { commonSpec, imageOf, nobody, type PlanContext, publish } from "../shared/context.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ServicePlan,
  type ServiceSpec,
} from "../shared/spec.ts";
import { statsdExporterConfig } from "./config.ts";

const ALIAS = "statsd-exporter";
const METRICS_PORT = 9102;
export const STATSD = { host: ALIAS, port: 8125 } as const;
const CONFIG = "/etc/event-pipeline";

export interface StatsdExporterPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly target: string;
}

/** Null without a scheduler. */
export function planStatsdExporter(context: PlanContext): StatsdExporterPlan | null {
  const { scheduler, statsdExporter, metrics } = context.config;
  if (!scheduler.enabled || !metrics.enabled) return null;
  const port = publish(context, "statsdExporter.port", METRICS_PORT, statsdExporter.port);
  const mapping: ConfigFile = {
    path: "mapping.yml",
    content: stringify(statsdMapping, { lineWidth: 0 }),
  };
  const config = configVolume("config", context.names.volume("statsd-exporter-config"), [mapping]);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "statsd-exporter",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(context, statsdExporterConfig.images, "statsdExporter"),
    command: [
      `--statsd.listen-udp=:${STATSD.port}`,
      "--statsd.listen-tcp=",
      `--web.listen-address=:${METRICS_PORT}`,
      `--statsd.mapping-config=${CONFIG}/${mapping.path}`,
    ],
    user: nobody,
    ports: [
      port,
      publish(context, "statsdExporter.statsdPort", STATSD.port, statsdExporter.statsdPort, "udp"),
    ],
    mounts: [{ volume: config.volume, path: CONFIG, readOnly: true }],
    health: wgetHealthCheck(METRICS_PORT, "/-/healthy"),
    memoryMiB: statsdExporter.memoryMiB,
    measuredMiB: 16,
    cpus: statsdExporter.cpus,
    graceSeconds: 5,
    // The exporter reads the mapping only at its start; a change restarts it and resets its series.
    startTexts: { mapping: mapping.content },
  };
  return {
    target: `${ALIAS}:${METRICS_PORT}`,
    service: {
      container,
      configs: [config],
      dataVolumes: [],
    },
  };
}
