import { z } from "zod";
import { airflowConfig } from "./airflow/config.ts";
import { alertLogConfig } from "./alert-log/config.ts";
import { clickhouseConfig } from "./clickhouse/config.ts";
import { describeIssues, formsOf, type Problem, refuse } from "./config-error.ts";
import { flag, integer, type Protocol, type Role, roles, text } from "./config-fields.ts";
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
  kafkaUi: kafkaUiConfig,
  kafkaExporter: kafkaExporterConfig,
  clickhouse: clickhouseConfig,
  ingest: ingestConfig,
  generator: generatorConfig,
  postgres: postgresConfig,
  airflow: airflowConfig,
  superset: supersetConfig,
  statsdExporter: statsdExporterConfig,
  prometheus: prometheusConfig,
  alertLog: alertLogConfig,
  grafana: grafanaConfig,
};

/** Address that means every address of this machine. */
const ANY_ADDRESS = "0.0.0.0";

const network = z
  .strictObject({
    bind: z
      .ipv4({ error: `must be an IPv4 address like 127.0.0.1 or ${ANY_ADDRESS}` })
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
    .enum(["live", "bare"], { error: "must be live or bare" })
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

type Parsed = z.infer<typeof stackSchema>;
export type NetworkConfig = Parsed["network"];

/** Services that a setting can switch off. */
export type OptionalService = Exclude<keyof typeof services, "kafka" | "clickhouse">;

/** What deploys a service; for others it is their own `enabled`. */
const CONDITIONS: Readonly<Partial<Record<string, (parsed: Parsed) => boolean>>> = {
  kafkaExporter: ({ prometheus, kafkaExporter }) => prometheus.enabled && kafkaExporter.enabled,
  ingest: ({ clickhouse }) => clickhouse.ingest === "service",
  generator: ({ generator }) => generator.deploy,
  postgres: ({ airflow, superset }) => airflow.enabled || superset.enabled,
  statsdExporter: ({ prometheus, airflow }) => prometheus.enabled && airflow.enabled,
  alertLog: ({ prometheus, grafana }) => prometheus.enabled && grafana.enabled,
  grafana: ({ prometheus, grafana }) => prometheus.enabled && grafana.enabled,
};

function isDeployed(service: string, parsed: Parsed): boolean {
  const condition = CONDITIONS[service];
  if (condition) return condition(parsed);
  const settings: object = parsed[service as OptionalService];
  return !("enabled" in settings) || settings.enabled === true;
}

/** Validates the configuration and adds the defaults. @throws UserError that lists every bad value */
export function parseStackConfig(raw: Readonly<Record<string, unknown>>): StackConfig {
  const parsed = readStackConfig(raw);
  return "problems" in parsed ? refuse(parsed.problems) : parsed.config;
}

type Read = { readonly config: StackConfig } | { readonly problems: readonly Problem[] };

/** Returns the configuration with the defaults, or every bad value. */
export function readStackConfig(raw: Readonly<Record<string, unknown>>): Read {
  const { data, error } = stackSchema.safeParse(raw);
  return data
    ? { config: deployedParts(data) }
    : { problems: describeIssues(raw, error.issues, stackSchema) };
}

type Complete = ReturnType<typeof withDefaults>;

/** Settings of a stack. A service that is not deployed is undefined. */
export type StackConfig = {
  readonly [B in keyof Complete]: Complete[B] | (B extends OptionalService ? undefined : never);
};

function deployedParts(parsed: Parsed): StackConfig {
  const others = Object.keys(services).filter((service) => !isDeployed(service, parsed));
  return {
    ...withDefaults(parsed),
    ...Object.fromEntries(others.map((service) => [service, undefined])),
  };
}

/** Adds the defaults that depend on other blocks. */
function withDefaults(parsed: Parsed) {
  const { kafka, clickhouse, generator, airflow, superset } = parsed;
  // An external server gets no history of its own accord.
  const isOwn = kafka.mode === "container" && clickhouse.mode === "container";
  const mode = parsed.mode ?? (isOwn ? "live" : "bare");
  // Postgres keeps the data, and therefore the key, of a service that is switched off.
  const keyGenerations = {
    airflow: airflow.fernetKeyGeneration,
    superset: superset.secretKeyGeneration,
  };
  return {
    ...parsed,
    mode,
    generator: { ...generator, enabled: generator.enabled ?? mode === "live" },
    postgres: { ...parsed.postgres, keyGenerations },
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
    const block = config[service as keyof typeof services] as Record<string, unknown> | undefined;
    const value = block?.[key];
    // Each broker is a container of its own.
    const containers = Number(block?.nodes ?? 1);
    return role.kind === kind && value !== undefined ? [{ setting, value, role, containers }] : [];
  });

/** Images of the services that the stack deploys, with the base images of built ones. */
export const imagesOf = (config: StackConfig): string[] => [
  ...new Set(settingsOf("image", config).map(({ value }) => String(value))),
];

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
