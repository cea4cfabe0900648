import { z } from "zod";
import { airflowConfig } from "./airflow/config.ts";
import { alertLogConfig } from "./alert-log/config.ts";
import { clickhouseConfig } from "./clickhouse/config.ts";
import { collectorConfig } from "./collector/config.ts";
import {
  flag,
  formsOf,
  integer,
  must,
  optional,
  type Protocol,
  type Role,
  roles,
  text,
} from "./config-fields.ts";
import { generatorConfig } from "./generator/config.ts";
import { grafanaConfig } from "./grafana/config.ts";
import { ingestConfig } from "./ingest/config.ts";
import { kafkaConfig } from "./kafka/config.ts";
import { kafkaExporterConfig } from "./kafka-exporter/config.ts";
import { kafkaUiConfig } from "./kafka-ui/config.ts";
import { postgresConfig } from "./postgres/config.ts";
import { prometheusConfig } from "./prometheus/config.ts";
import { isLoopback, MAX_OFFSET } from "./shared/names.ts";
import { statsdExporterConfig } from "./statsd-exporter/config.ts";
import { supersetConfig } from "./superset/config.ts";

/** Settings of each service, which its folder declares. */
const services = {
  kafka: kafkaConfig,
  kafkaUi: optional(kafkaUiConfig, "Kafka UI"),
  kafkaExporter: optional(kafkaExporterConfig, "the exporter of Kafka's metrics"),
  clickhouse: clickhouseConfig,
  ingest: ingestConfig.prefault({}),
  generator: optional(generatorConfig, "the generator"),
  collector: optional(collectorConfig, "the collector", false),
  postgres: postgresConfig.prefault({}),
  airflow: optional(airflowConfig, "Airflow"),
  superset: optional(supersetConfig, "Superset"),
  statsdExporter: statsdExporterConfig.prefault({}),
  prometheus: optional(prometheusConfig, "Prometheus, and with it Grafana,"),
  alertLog: alertLogConfig.prefault({}),
  grafana: optional(grafanaConfig, "Grafana"),
};

/** Address that means every address of this machine. */
const ANY_ADDRESS = "0.0.0.0";

const network = z
  .strictObject({
    bind: z
      .ipv4({ error: must(`an IPv4 address like 127.0.0.1 or ${ANY_ADDRESS}`) })
      .default("127.0.0.1")
      .describe("Address of this machine that published ports listen on"),
    host: text("a host name or an address", /^[\w.-]+$/)
      .optional()
      .describe("Name or address by which clients reach this machine; Kafka advertises it"),
    portOffset: integer(0, 0, MAX_OFFSET).describe(
      "Added to every published port, so that two stacks can run side by side",
    ),
  })
  .refine(({ bind, host }) => host !== ANY_ADDRESS && (bind !== ANY_ADDRESS || host), {
    path: ["host"],
    error: `must be the name or address by which clients reach this machine: Kafka cannot advertise ${ANY_ADDRESS}`,
  })
  .refine(({ bind, host }) => !isLoopback(bind) || !host || isLoopback(host), {
    path: ["host"],
    error: `needs network.bind to be an address that clients reach, such as ${ANY_ADDRESS}`,
  });

/** Configuration of a stack: every setting with its default. */
export const stackSchema = z.strictObject({
  mode: z
    .enum(["live", "bare"], { error: must("live or bare") })
    .optional()
    .describe(
      "`live`: a week of history, then current events and scheduled loads; `bare`: services only, and the generator in standby. Without it `live`, or `bare` with an external Kafka or ClickHouse",
    ),
  protectData: flag(false).describe(
    "Pulumi refuses to delete irreplaceable volumes and encryption keys, also for `pulumi destroy`",
  ),
  network: network.prefault({}),
  ...services,
});

/** Settings as they are written; each has a default. */
export type StackSettings = z.input<typeof stackSchema>;

type Parsed = z.infer<typeof stackSchema>;
export type NetworkConfig = Parsed["network"];

/** Settings of a stack with all defaults. A service that is not deployed is false. */
export type StackConfig = ReturnType<typeof deployedParts>;

type Feeds = Pick<StackConfig, "generator" | "collector">;

export const isGenerated = ({ generator }: Feeds): boolean =>
  generator !== false && generator.enabled;

/** True if a generator publishes, or a collector may. */
export const isFed = (feeds: Feeds): boolean => isGenerated(feeds) || feeds.collector !== false;

/** Adds defaults that depend on other blocks, and switches off what a service needs that is off. */
export function deployedParts(parsed: Parsed) {
  const { kafka, clickhouse, generator, airflow, superset, prometheus, grafana } = parsed;
  // An external server gets no history of its own accord.
  const isOwn = kafka.mode === "container" && clickhouse.mode === "container";
  const mode = parsed.mode ?? (isOwn ? "live" : "bare");
  const { airflowKeyGeneration, supersetKeyGeneration, ...postgres } = parsed.postgres;
  return {
    ...parsed,
    mode,
    kafkaExporter: prometheus && parsed.kafkaExporter,
    ingest: clickhouse.ingest === "service" && parsed.ingest,
    generator: generator && { ...generator, enabled: generator.enabled ?? mode === "live" },
    postgres: (airflow || superset) && postgres,
    keyGenerations: { airflow: airflowKeyGeneration, superset: supersetKeyGeneration },
    statsdExporter: prometheus && airflow && parsed.statsdExporter,
    alertLog: prometheus && grafana && parsed.alertLog,
    grafana: prometheus && grafana,
  };
}

/** Every setting with a role, such as `kafka.port`, in all forms of its block. */
const fields = Object.entries(services).flatMap(([service, schema]) =>
  formsOf(schema).flatMap(({ shape }) =>
    Object.entries<z.ZodType>(shape).flatMap(([key, field]) => {
      const role = roles.get(field);
      return role ? [{ service, key, setting: `${service}.${key}`, role }] : [];
    }),
  ),
);

/** Official images by the setting that replaces each, such as `kafka.image`. */
export const officialImages: ReadonlyMap<string, string> = new Map(
  fields.flatMap(({ setting, role }) => (role.official ? [[setting, role.official]] : [])),
);

/** Returns the settings of a kind, of the services that a configuration deploys. */
export const settingsOf = (kind: Role["kind"], config: StackConfig) =>
  fields.flatMap(({ service, key, setting, role }) => {
    const block = config[service as keyof typeof services];
    const settings: Readonly<Record<string, unknown>> = block || {};
    const value = settings[key];
    // Each broker is a container of its own.
    const containers = Number(settings.nodes ?? 1);
    return role.kind === kind && value !== undefined ? [{ setting, value, role, containers }] : [];
  });

/** Returns the sum of all memory limits, MiB. */
export const memoryOf = (config: StackConfig): number =>
  settingsOf("memory", config)
    .map(({ value, containers }) => Number(value) * containers)
    .reduce((sum, limit) => sum + limit, 0);

/** Port of this machine, with the setting that moves it. */
export interface PublishedPort {
  readonly setting: string;
  readonly port: number;
  readonly protocol: Protocol;
}

/** Returns the ports that a stack publishes. Brokers have ports one after another. */
export const publishedPorts = (config: StackConfig): PublishedPort[] =>
  settingsOf("port", config).flatMap(
    ({ setting, value, role: { protocol = "http" }, containers }) =>
      Array.from({ length: containers }, (_, node) => ({
        setting,
        port: Number(value) + node + config.network.portOffset,
        protocol,
      })),
  );
