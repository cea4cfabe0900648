import { z } from "zod";
import { type KnownKeys, refuseConfig } from "./config-error.ts";
import {
  containerByDefault,
  cpus,
  flag,
  generatorSettings,
  imageOverrides,
  memory,
  port,
  SETTING_NAMES,
  text,
  whole,
} from "./config-fields.ts";
import { IMAGE_NAMES } from "./images.ts";
import { MOST_OFFSET } from "./names.ts";

const addresses = text(
  "host:port, several separated by commas",
  /^[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/,
);
const userName = text("a user name without spaces", /^\S+$/);

const OFFSET = `must be a whole number from 0 to ${MOST_OFFSET}`;

const network = z.strictObject({
  /** Address of this machine that published ports listen on. */
  bind: z.ipv4({ error: "must be an IPv4 address like 127.0.0.1 or 0.0.0.0" }).default("127.0.0.1"),
  /** Name or address by which other machines reach this one; Kafka advertises it. */
  host: text("a host name or an address", /^[\w.-]+$/).optional(),
  /** Added to every published port, so that two stacks can run side by side. */
  portOffset: z
    .int({ error: OFFSET })
    .min(0, { error: OFFSET })
    .max(MOST_OFFSET, { error: OFFSET })
    .default(0),
});

const brokerContainer = z.strictObject({
  mode: z.literal("container"),
  port: port(9092),
  memoryMiB: memory(1024, 512),
  cpus: cpus(1),
});

/** How clients prove who they are; the password is the stack's secret `brokerPassword`. */
const securityFields = z.strictObject({
  tls: flag(true),
  /** Certificates to trust instead of the system's. */
  ca: text("certificates in PEM form", /^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END/).optional(),
  mechanism: z
    .enum(["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"], {
      error: "must be PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512",
    })
    .optional(),
  username: userName.optional(),
});

const brokerSecurity = securityFields
  .refine((value) => (value.mechanism === undefined) === (value.username === undefined), {
    error: "mechanism and username must be given together",
  })
  .refine((value) => value.ca === undefined || value.tls, {
    error: "ca needs tls: true",
  })
  .prefault({});

const brokerExternal = z.strictObject({
  mode: z.literal("external"),
  /** As containers reach it. */
  bootstrap: addresses,
  /** As this machine reaches it, where that differs. */
  hostBootstrap: addresses.optional(),
  security: brokerSecurity,
});

const databaseContainer = z.strictObject({
  mode: z.literal("container"),
  httpPort: port(9123),
  nativePort: port(8002),
  metricsPort: port(9126),
  memoryMiB: memory(4096, 1024),
  cpus: cpus(2),
});

const httpUrl = text("an address like https://host:8443", /^https?:\/\/[\w.-]+(:\d{1,5})?$/);

const databaseExternal = z.strictObject({
  mode: z.literal("external"),
  /** As containers reach it. */
  url: httpUrl,
  /** As this machine reaches it, where that differs. */
  hostUrl: httpUrl.optional(),
  user: userName.default("default"),
});

const brokerUi = z.strictObject({
  enabled: flag(true),
  port: port(8082),
  memoryMiB: memory(512, 320),
  cpus: cpus(1),
});

const generator = z.strictObject({
  /** Whether there is a generator at all. */
  deploy: flag(true),
  /** Whether it publishes; switched off it stands by and answers. */
  enabled: flag(true),
  port: port(9109),
  memoryMiB: memory(512, 256),
  cpus: cpus(1),
  settings: generatorSettings,
});

/** Metadata of the scheduler and of BI; runs where one of them does. */
const postgres = z.strictObject({
  memoryMiB: memory(256, 128),
  cpus: cpus(1),
});

const scheduler = z.strictObject({
  enabled: flag(true),
  /** Of its web page. */
  port: port(8080),
  /** One more gives Airflow a new Fernet key; the previous one stays until all is encrypted again. */
  fernetKeyGeneration: whole("generations", 1, 1, 1_000_000),
  /** How long logs of tasks and finished runs are kept. */
  logDays: whole("days", 14, 1, 3650),
  /** The scheduler with the tasks it runs; what was measured stands in docs/airflow.md. */
  memoryMiB: memory(1536, 1024),
  cpus: cpus(2),
  /** Its two workers, and room for the one that replaces the oldest. */
  webMemoryMiB: memory(768, 512),
  webCpus: cpus(1),
});

const bi = z.strictObject({
  enabled: flag(true),
  port: port(8088),
  /** One more gives Superset a new secret key; the one before re-encrypts what it keeps. */
  secretKeyGeneration: whole("generations", 1, 1, 1_000_000),
  memoryMiB: memory(512, 320),
  cpus: cpus(1),
});

const metrics = z.strictObject({
  /** Without it there are no dashboards, exporters and alerts either. */
  enabled: flag(true),
  port: port(9090),
  /** Whichever limit comes first. */
  retentionDays: whole("days", 15, 1, 3650),
  retentionMiB: whole("MiB", 2048, 256, 1_048_576),
  /** How late a sample may come: a clock that jumped back must not lose any. */
  outOfOrderMinutes: whole("minutes", 30, 0, 10_080),
  memoryMiB: memory(512, 256),
  cpus: cpus(0.5),
});

const statsdExporter = z.strictObject({
  port: port(9102),
  statsdPort: port(8125),
  memoryMiB: memory(96, 48),
  cpus: cpus(0.2),
});

const brokerExporter = z.strictObject({
  enabled: flag(true),
  port: port(9308),
  memoryMiB: memory(128, 64),
  cpus: cpus(0.2),
});

const dashboards = z.strictObject({
  enabled: flag(true),
  port: port(3000),
  /** How dashboards and rules come into Grafana: as resources of the stack, or as files. */
  delivery: z
    .enum(["resources", "files"], { error: "must be resources or files" })
    .default("resources"),
  /** Takes a POST per group of alerts; without it they stand in the log of the service alert-log. */
  alertWebhook: text("an address like https://host/path", /^https?:\/\/\S+$/).optional(),
  /** Address of docs/monitoring.md where your people read it: every alert links to its paragraph. */
  runbook: text("an address like https://host/docs/monitoring.md", /^https?:\/\/\S+$/).optional(),
  memoryMiB: memory(512, 256),
  cpus: cpus(0.5),
});

const modes = { error: "must be container or external" };

const stackConfigSchema = z.strictObject({
  /** `live`: a week of history, then current events and scheduled loads. `bare`: services only. */
  mode: z.enum(["live", "bare"], { error: "must be live or bare" }).optional(),
  /** Whether Pulumi refuses to delete irreplaceable volumes, also for `pulumi destroy`. */
  protectData: flag(false),
  network: network.prefault({}),
  broker: z.preprocess(
    containerByDefault,
    z.discriminatedUnion("mode", [brokerContainer, brokerExternal], modes),
  ),
  brokerUi: brokerUi.prefault({}),
  database: z.preprocess(
    containerByDefault,
    z.discriminatedUnion("mode", [databaseContainer, databaseExternal], modes),
  ),
  generator: generator.prefault({}),
  postgres: postgres.prefault({}),
  scheduler: scheduler.prefault({}),
  bi: bi.prefault({}),
  metrics: metrics.prefault({}),
  statsdExporter: statsdExporter.prefault({}),
  brokerExporter: brokerExporter.prefault({}),
  dashboards: dashboards.prefault({}),
  images: imageOverrides,
});

type ConfigInput = z.infer<typeof stackConfigSchema>;
export type StackConfig = ConfigInput & { readonly mode: NonNullable<ConfigInput["mode"]> };

/** Blocks of the configuration with the forms each may have. */
export const CONFIG_BLOCKS = {
  network: [network],
  broker: [brokerContainer, brokerExternal],
  "broker.security": [securityFields],
  brokerUi: [brokerUi],
  database: [databaseContainer, databaseExternal],
  generator: [generator],
  postgres: [postgres],
  scheduler: [scheduler],
  bi: [bi],
  metrics: [metrics],
  statsdExporter: [statsdExporter],
  brokerExporter: [brokerExporter],
  dashboards: [dashboards],
} as const;

const keysOf = (schemas: readonly { readonly shape: object }[]): string[] => [
  ...new Set(schemas.flatMap((schema) => Object.keys(schema.shape))),
];

const KNOWN_KEYS: KnownKeys = {
  "": keysOf([stackConfigSchema]),
  ...Object.fromEntries(
    Object.entries(CONFIG_BLOCKS).map(([block, schemas]) => [block, keysOf(schemas)]),
  ),
  "generator.settings": SETTING_NAMES,
  images: IMAGE_NAMES,
};

/**
 * Reads the stack's configuration; every default stands in the schema.
 * @param raw blocks by component name, as the stack's configuration file holds them
 * @throws UserError that names every bad value: component, key, value, what is allowed
 */
export function parseStackConfig(raw: Readonly<Record<string, unknown>>): StackConfig {
  const parsed = stackConfigSchema.safeParse(raw);
  if (!parsed.success) return refuseConfig(raw, parsed.error.issues, KNOWN_KEYS);
  return { ...parsed.data, mode: parsed.data.mode ?? defaultMode(parsed.data) };
}

/** A broker or database of the user's own gets no history that nobody asked for. */
const defaultMode = ({ broker, database }: ConfigInput): StackConfig["mode"] =>
  broker.mode === "container" && database.mode === "container" ? "live" : "bare";
