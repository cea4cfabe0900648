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
} from "./config-fields.ts";
import { IMAGE_NAMES } from "./images.ts";

const addresses = text(
  "host:port, several separated by commas",
  /^[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/,
);
const userName = text("a user name without spaces", /^\S+$/);

const network = z.strictObject({
  /** Address of this machine that published ports listen on. */
  bind: z.ipv4({ error: "must be an IPv4 address like 127.0.0.1 or 0.0.0.0" }).default("127.0.0.1"),
  /** Added to every published port, so that two stacks can run side by side. */
  portOffset: z
    .int({ error: "must be a whole number from 0 to 40000" })
    .min(0, { error: "must be a whole number from 0 to 40000" })
    .max(40_000, { error: "must be a whole number from 0 to 40000" })
    .default(0),
});

const brokerContainer = z.strictObject({
  mode: z.literal("container"),
  port: port(9092),
  memoryMiB: memory(1024, 512),
  cpus: cpus(1),
});

/** How clients prove who they are; the password is the stack's secret `brokerPassword`. */
const brokerSecurity = z
  .strictObject({
    tls: flag(true),
    mechanism: z
      .enum(["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"], {
        error: "must be PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512",
      })
      .optional(),
    username: userName.optional(),
  })
  .refine((value) => (value.mechanism === undefined) === (value.username === undefined), {
    error: "mechanism and username must be given together",
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
  memoryMiB: memory(512, 128),
  cpus: cpus(1),
  settings: generatorSettings,
});

const modes = { error: "must be container or external" };

const stackConfigSchema = z.strictObject({
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
  images: imageOverrides,
});

export type StackConfig = z.infer<typeof stackConfigSchema>;

const keysOf = (...schemas: { shape: object }[]): string[] => [
  ...new Set(schemas.flatMap((schema) => Object.keys(schema.shape))),
];

const KNOWN_KEYS: KnownKeys = {
  "": keysOf(stackConfigSchema),
  network: keysOf(network),
  broker: keysOf(brokerContainer, brokerExternal),
  "broker.security": ["tls", "mechanism", "username"],
  brokerUi: keysOf(brokerUi),
  database: keysOf(databaseContainer, databaseExternal),
  generator: keysOf(generator),
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
  return parsed.success ? parsed.data : refuseConfig(raw, parsed.error.issues, KNOWN_KEYS);
}
