import { z } from "zod";
import {
  containerOrExternal,
  cpus,
  flag,
  image,
  memory,
  must,
  port,
  text,
  userName,
} from "../config-fields.ts";

const container = z.strictObject({
  mode: z
    .literal("container")
    .optional()
    .default("container")
    .describe("Brokers in containers, or an external cluster"),
  image: image("apache/kafka:4.4.0"),
  nodes: z
    .union([z.literal(1), z.literal(3)], { error: must("1 or 3") })
    .default(1)
    .describe(
      "Brokers; three keep three replicas of each topic. Cannot change on a stack with data",
    ),
  port: port(9092, "Kafka (of three brokers: of the first; the others have the next two)", "tcp"),
  memoryMiB: memory(1024, 512),
  cpus: cpus(1),
});

const addresses = text(
  "host:port, several separated by commas",
  /^[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/,
);

const security = z
  .strictObject({
    tls: flag(true).describe("Encrypts connections"),
    ca: text("certificates in PEM form", /^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END/)
      .optional()
      .describe("Certificates to trust instead of the system's; needs `tls`"),
    mechanism: z
      .enum(["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"], {
        error: must("PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"),
      })
      .optional()
      .describe("SASL mechanism; the password is the secret `kafkaPassword`"),
    username: userName.optional().describe("SASL user; required with `mechanism`"),
  })
  .refine((value) => (value.mechanism === undefined) === (value.username === undefined), {
    error: "mechanism and username must be given together",
  })
  .refine((value) => value.ca === undefined || value.tls, { error: "ca needs tls: true" });

const external = z.strictObject({
  mode: z.literal("external"),
  bootstrap: addresses.describe(
    "Bootstrap servers for containers; required for an external cluster",
  ),
  hostBootstrap: addresses
    .optional()
    .describe("Bootstrap servers for this machine, if they differ"),
  security: security.prefault({}),
});

export const kafkaConfig = containerOrExternal(container, external);

export type KafkaSettings = z.infer<typeof kafkaConfig>;
