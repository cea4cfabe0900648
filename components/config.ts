import { z } from "zod";
import { VARIABLE_NAMES, type VariableName } from "../generator/variables.ts";
import { refuseConfig } from "./config-error.ts";
import {
  cpus,
  flag,
  integer,
  MAX_GENERATIONS,
  memory,
  optionalEntries,
  port,
  text,
  untestedMemory,
  userName,
} from "./config-fields.ts";
import { isSecretName, setSecretCommand } from "./secrets.ts";
import { IMAGE_FORM, isExactImage, withDigest } from "./shared/image-lock.ts";
import { isLoopback, MAX_OFFSET } from "./shared/names.ts";

/** Official images by the setting under `images` that replaces each. */
export const IMAGES = {
  kafka: "apache/kafka:4.1.2",
  kafkaUi: "ghcr.io/kafbat/kafka-ui:v1.5.0",
  kafkaExporter: "danielqsj/kafka-exporter:v1.9.0",
  clickhouse: "clickhouse/clickhouse-server:26.8.15.10",
  node: "node:24.19.0-bookworm-slim",
  postgres: "postgres:17.6",
  airflow: "apache/airflow:2.10.5-python3.11",
  superset: "apache/superset:6.1.0",
  statsdExporter: "prom/statsd-exporter:v0.28.0",
  prometheus: "prom/prometheus:v3.13.3",
  grafana: "grafana/grafana:12.4.4",
} as const;

export type ImageName = keyof typeof IMAGES;

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

const kafkaContainer = z.strictObject({
  mode: z.literal("container").describe("Brokers in containers, or an external cluster"),
  nodes: z
    .union([z.literal(1), z.literal(3)], { error: "must be 1 or 3" })
    .default(1)
    .describe(
      "Brokers; three keep three replicas of each topic. Cannot change on a stack with data",
    ),
  port: port(9092, "Kafka (of three brokers: of the first; the others have the next two)"),
  memoryMiB: memory(1024, 512),
  cpus: cpus(1),
});

const addresses = text(
  "host:port, several separated by commas",
  /^[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/,
);

const kafkaSecurity = z
  .strictObject({
    tls: flag(true).describe("Encrypts connections"),
    ca: text("certificates in PEM form", /^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END/)
      .optional()
      .describe("Certificates to trust instead of the system's; needs `tls`"),
    mechanism: z
      .enum(["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"], {
        error: "must be PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512",
      })
      .optional()
      .describe("SASL mechanism; the password is the secret `kafkaPassword`"),
    username: userName.optional().describe("SASL user; required with `mechanism`"),
  })
  .refine((value) => (value.mechanism === undefined) === (value.username === undefined), {
    error: "mechanism and username must be given together",
  })
  .refine((value) => value.ca === undefined || value.tls, { error: "ca needs tls: true" });

const kafkaExternal = z.strictObject({
  mode: z.literal("external"),
  bootstrap: addresses.describe(
    "Bootstrap servers for containers; required for an external cluster",
  ),
  hostBootstrap: addresses
    .optional()
    .describe("Bootstrap servers for this machine, if they differ"),
  security: kafkaSecurity.prefault({}),
});

const ingestedBy = z
  .enum(["kafka-engine", "service"], { error: "must be kafka-engine or service" })
  .default("kafka-engine")
  .describe("What stores the topics: ClickHouse's Kafka engine, or the service `ingest`");

const clickhouseContainer = z.strictObject({
  mode: z.literal("container").describe("One server in a container, or an external one"),
  httpPort: port(9123, "ClickHouse's HTTP interface, with `/play`,"),
  nativePort: port(8002, "ClickHouse's native protocol"),
  metricsPort: port(9126, "ClickHouse's metrics"),
  memoryMiB: memory(4096, 1024),
  cpus: cpus(2),
  ingest: ingestedBy,
});

const httpUrl = text("an address like https://host:8443", /^https?:\/\/[\w.-]+(:\d{1,5})?$/);

const clickhouseExternal = z.strictObject({
  mode: z.literal("external"),
  url: httpUrl.describe("Address for containers; required for an external server"),
  hostUrl: httpUrl.optional().describe("Address for this machine, if it differs"),
  user: userName
    .default("default")
    .describe("User of the external server; the password is the secret `clickhousePassword`"),
  ingest: ingestedBy,
});

/** Variables of the generator that the stack sets, with the reason. */
export const FIXED_VARIABLES: Readonly<Partial<Record<VariableName, string>>> = {
  KAFKA_BOOTSTRAP_SERVERS: "Kafka's address inside the stack (kafka.mode=external moves it)",
  GEN_DATA_DIR: "the data folder inside the container",
  GEN_ENABLED: "generator.enabled",
};

const settingValue = z
  .union([z.string(), z.number(), z.boolean()], { error: "must be text, a number or true/false" })
  .transform(String);

const generatorSettings = z.strictObject(
  optionalEntries<VariableName, typeof settingValue>(
    VARIABLE_NAMES.filter((name) => !(name in FIXED_VARIABLES)),
    settingValue,
  ),
);

const generator = z.strictObject({
  deploy: flag(true).describe("Deploys a generator"),
  enabled: z
    .boolean({ error: "must be true or false" })
    .optional()
    .describe(
      "Publishes events; if false, the generator is in standby. Without it true in live mode, false in bare mode",
    ),
  port: port(9109, "the generator (`/metrics`, `/healthz`, `/status`, `/control`)"),
  memoryMiB: memory(512, 256),
  cpus: cpus(1),
  settings: generatorSettings.prefault({}).describe("Variables of the generator"),
});

const exactImage = z
  .string({ error: `must be ${IMAGE_FORM}` })
  .refine(isExactImage, { error: `must be ${IMAGE_FORM}` });

const modes = { error: "must be container or external" };

const containerByDefault = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("mode" in value)
    ? { mode: "container", ...value }
    : (value ?? { mode: "container" });

/** Configuration of a stack: every setting with its default. An absent block has all defaults. */
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
  kafka: z.preprocess(
    containerByDefault,
    z.discriminatedUnion("mode", [kafkaContainer, kafkaExternal], modes),
  ),
  kafkaUi: z
    .strictObject({
      enabled: flag(true).describe("Deploys Kafka UI"),
      port: port(8082, "Kafka UI"),
      memoryMiB: untestedMemory(512, 320),
      cpus: cpus(1),
    })
    .prefault({}),
  kafkaExporter: z
    .strictObject({
      enabled: flag(true).describe("Deploys the exporter of Kafka's metrics"),
      port: port(9308, "Kafka's metrics"),
      memoryMiB: memory(128, 64),
      cpus: cpus(0.2),
    })
    .prefault({}),
  clickhouse: z.preprocess(
    containerByDefault,
    z.discriminatedUnion("mode", [clickhouseContainer, clickhouseExternal], modes),
  ),
  ingest: z
    .strictObject({
      port: port(9110, "`pipeline ingest` (`/metrics`, `/healthz`)"),
      memoryMiB: untestedMemory(1024, 512),
      cpus: cpus(1),
    })
    .prefault({}),
  generator: generator.prefault({}),
  postgres: z.strictObject({ memoryMiB: memory(256, 128), cpus: cpus(1) }).prefault({}),
  airflow: z
    .strictObject({
      enabled: flag(true).describe("Deploys Airflow"),
      port: port(8080, "Airflow"),
      fernetKeyGeneration: integer(1, 1, MAX_GENERATIONS).describe(
        "Number of the Fernet key; the next number generates another, and encrypts stored values again",
      ),
      logDays: integer(14, 1, 3650).describe("Retention of task logs and finished runs, days"),
      memoryMiB: memory(1536, 1024).describe("Memory limit of the scheduler with its tasks, MiB"),
      cpus: cpus(2).describe("Limit of processor cores of the scheduler with its tasks"),
      webMemoryMiB: memory(768, 512).describe("Memory limit of the web server, MiB"),
      webCpus: cpus(1).describe("Limit of processor cores of the web server"),
    })
    .prefault({}),
  superset: z
    .strictObject({
      enabled: flag(true).describe("Deploys Superset"),
      port: port(8088, "Superset"),
      secretKeyGeneration: integer(1, 1, MAX_GENERATIONS).describe(
        "Number of the secret key; the next number generates another, and the previous one decrypts old values",
      ),
      memoryMiB: memory(512, 320),
      cpus: cpus(1),
    })
    .prefault({}),
  statsdExporter: z
    .strictObject({
      port: port(9102, "Airflow's metrics"),
      statsdPort: port(8125, "the StatsD receiver, UDP,"),
      memoryMiB: memory(96, 48),
      cpus: cpus(0.2),
    })
    .prefault({}),
  prometheus: z
    .strictObject({
      enabled: flag(true).describe("Deploys Prometheus; without it there is no Grafana either"),
      port: port(9090, "Prometheus"),
      retentionDays: integer(15, 1, 3650).describe("Age at which samples are deleted, days"),
      retentionMiB: integer(2048, 256, 1_048_576).describe(
        "Size above which the oldest samples are deleted, MiB",
      ),
      outOfOrderMinutes: integer(30, 0, 10_080).describe(
        "Longest delay of a sample, minutes, so that a clock that jumps back loses none",
      ),
      memoryMiB: memory(512, 256),
      cpus: cpus(0.5),
    })
    .prefault({}),
  alertLog: z.strictObject({ memoryMiB: untestedMemory(96, 64), cpus: cpus(0.2) }).prefault({}),
  grafana: z
    .strictObject({
      enabled: flag(true).describe("Deploys Grafana"),
      port: port(3000, "Grafana"),
      runbook: text(
        "an address like https://host/docs/reference/metrics-and-alerts.md",
        /^https?:\/\/\S+$/,
      )
        .optional()
        .describe(
          "Published address of docs/reference/metrics-and-alerts.md, to which every alert links",
        ),
      memoryMiB: untestedMemory(512, 256),
      cpus: cpus(0.5),
    })
    .prefault({}),
  images: z
    .strictObject(
      optionalEntries<ImageName, typeof exactImage>(Object.keys(IMAGES) as ImageName[], exactImage),
    )
    .prefault({}),
});

type Parsed = z.infer<typeof stackSchema>;
export type NetworkConfig = Parsed["network"];

/** Settings that deploy a service, for messages; the others are always deployed. */
export const DEPLOYED_WITH = {
  kafkaUi: "kafkaUi.enabled",
  kafkaExporter: "prometheus.enabled and kafkaExporter.enabled",
  ingest: "clickhouse.ingest=service",
  generator: "generator.deploy",
  postgres: "airflow.enabled or superset.enabled",
  airflow: "airflow.enabled",
  superset: "superset.enabled",
  statsdExporter: "prometheus.enabled and airflow.enabled",
  prometheus: "prometheus.enabled",
  alertLog: "prometheus.enabled and grafana.enabled",
  grafana: "prometheus.enabled and grafana.enabled",
} as const;

export type OptionalService = keyof typeof DEPLOYED_WITH;

const isDeployed = (parsed: Parsed): Record<OptionalService, boolean> => {
  const { airflow, superset, prometheus, grafana, clickhouse } = parsed;
  return {
    kafkaUi: parsed.kafkaUi.enabled,
    kafkaExporter: prometheus.enabled && parsed.kafkaExporter.enabled,
    ingest: clickhouse.ingest === "service",
    generator: parsed.generator.deploy,
    postgres: airflow.enabled || superset.enabled,
    airflow: airflow.enabled,
    superset: superset.enabled,
    statsdExporter: prometheus.enabled && airflow.enabled,
    prometheus: prometheus.enabled,
    alertLog: prometheus.enabled && grafana.enabled,
    grafana: prometheus.enabled && grafana.enabled,
  };
};

/** Validates the configuration and adds the defaults. @throws UserError that lists every bad value */
export function parseStackConfig(raw: Readonly<Record<string, unknown>>) {
  const parsed = stackSchema.safeParse(raw);
  if (!parsed.success) {
    return refuseConfig(raw, parsed.error.issues, { schema: stackSchema, explain });
  }
  return deployedParts(parsed.data);
}

/** Settings of a stack. A service that is not deployed is undefined. */
export type StackConfig = ReturnType<typeof deployedParts>;

function deployedParts(parsed: Parsed) {
  const { images, kafka, clickhouse, ...rest } = parsed;
  const imageOf = (name: ImageName): string => images[name] ?? withDigest(IMAGES[name]);
  // An external server gets no history of its own accord.
  const isOwn = kafka.mode === "container" && clickhouse.mode === "container";
  const mode = rest.mode ?? (isOwn ? "live" : "bare");
  const deployed = isDeployed(parsed);
  const when = <S, T>(name: OptionalService, settings: S, more: T): (S & T) | undefined =>
    deployed[name] ? { ...settings, ...more } : undefined;
  const node = { nodeImage: imageOf("node") };
  const withImage = (name: ImageName) => ({ image: imageOf(name) });
  return {
    mode,
    protectData: rest.protectData,
    network: rest.network,
    kafka: { ...kafka, ...withImage("kafka") },
    kafkaUi: when("kafkaUi", rest.kafkaUi, withImage("kafkaUi")),
    kafkaExporter: when("kafkaExporter", rest.kafkaExporter, withImage("kafkaExporter")),
    clickhouse: { ...clickhouse, ...withImage("clickhouse") },
    ingest: when("ingest", rest.ingest, node),
    generator: when("generator", rest.generator, {
      ...node,
      enabled: rest.generator.enabled ?? mode === "live",
    }),
    postgres: when("postgres", rest.postgres, {
      ...withImage("postgres"),
      tenants: TENANTS.filter((tenant) => deployed[tenant]),
      keyGenerations: {
        airflow: rest.airflow.fernetKeyGeneration,
        superset: rest.superset.secretKeyGeneration,
      },
    }),
    airflow: when("airflow", rest.airflow, { ...withImage("airflow"), ...node }),
    superset: when("superset", rest.superset, withImage("superset")),
    statsdExporter: when("statsdExporter", rest.statsdExporter, withImage("statsdExporter")),
    prometheus: when("prometheus", rest.prometheus, {
      ...withImage("prometheus"),
      runbook: rest.grafana.runbook,
    }),
    alertLog: when("alertLog", rest.alertLog, node),
    grafana: when("grafana", rest.grafana, withImage("grafana")),
  };
}

/** Services with data in Postgres. */
const TENANTS = ["airflow", "superset"] as const;

/** Explains why a path is not a setting; undefined if it is unknown. */
function explain(path: string): string | undefined {
  const key = path.split(".").at(-1) ?? "";
  const fixed = FIXED_VARIABLES[key as VariableName];
  if (path.startsWith("generator.settings.") && fixed) return `fixed, it is ${fixed}`;
  return isSecretName(key) ? `is a secret: ${setSecretCommand(key)}` : undefined;
}

/** Images of the services that the stack deploys, with the base images of built ones. */
export const imagesOf = (config: StackConfig): string[] => [
  ...new Set(
    Object.values(config).flatMap((service) =>
      typeof service === "object" && !("mode" in service && service.mode === "external")
        ? Object.entries(service).flatMap(([key, value]) =>
            (key === "image" || key === "nodeImage") && typeof value === "string" ? [value] : [],
          )
        : [],
    ),
  ),
];
