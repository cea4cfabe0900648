import { stringify } from "yaml";
import { statsdMapping } from "../../dashboards/delivery/statsd-mapping.ts";
import { JOBS } from "../../dashboards/promql.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import { commonSpec, imageOf, nobody, type Placement, publish } from "../shared/placement.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import { type StatsdExporterConfig, statsdExporterConfig } from "./config.ts";

const ALIAS = "statsd-exporter";
const METRICS_PORT = 9102;
const STATSD = { host: ALIAS, port: 8125 } as const;
const CONFIG = "/etc/event-pipeline";

export interface StatsdExporterPlan extends ServiceSpec {
  readonly service: ServicePlan;
  /** Address that receives StatsD. */
  readonly statsd: { readonly host: string; readonly port: number };
}

export function planStatsdExporter(
  config: StatsdExporterConfig,
  at: Placement,
): StatsdExporterPlan {
  const port = publish(at, "statsdExporter.port", METRICS_PORT, config.port, "/metrics");
  const mapping: ConfigFile = {
    path: "mapping.yml",
    content: stringify(statsdMapping, { lineWidth: 0 }),
  };
  const files = configVolume("config", at.names.volume("statsd-exporter-config"), CONFIG, [
    mapping,
  ]);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "statsd-exporter",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(at, statsdExporterConfig.images, "statsdExporter"),
    command: [
      `--statsd.listen-udp=:${STATSD.port}`,
      "--statsd.listen-tcp=",
      `--web.listen-address=:${METRICS_PORT}`,
      `--statsd.mapping-config=${CONFIG}/${mapping.path}`,
    ],
    user: nobody,
    ports: [port, publish(at, "statsdExporter.statsdPort", STATSD.port, config.statsdPort, null)],
    health: wgetHealthCheck(METRICS_PORT, "/-/healthy"),
    memoryMiB: config.memoryMiB,
    measuredMiB: 16,
    cpus: config.cpus,
    graceSeconds: 5,
    // The exporter reads the mapping only at its start; a restart resets its series.
    replaceTriggers: { mapping: mapping.content },
  };
  return {
    statsd: STATSD,
    scrape: [{ job: JOBS.scheduler, target: `${ALIAS}:${METRICS_PORT}` }],
    service: servicePlan({ container, configs: [files] }),
  };
}
