import { z } from "zod";
import { cpus, flag, memory, port, text, userName } from "../shared/config-fields.ts";
import { externalConfig } from "../shared/service-config.ts";
import type { DataVolume } from "../shared/spec.ts";

const addresses = text(
  "host:port, several separated by commas",
  /^[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/,
);
const brokerContainer = z.strictObject({
  mode: z.literal("container").describe("One broker in a container, or an external cluster"),
  port: port(9092, "Kafka"),
  memoryMiB: memory(1024, 512),
  cpus: cpus(1),
});

const securityFields = z.strictObject({
  tls: flag(true).describe("Encrypts connections"),
  ca: text("certificates in PEM form", /^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END/)
    .optional()
    .describe("Certificates to trust instead of the system's; needs `tls`"),
  mechanism: z
    .enum(["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"], {
      error: "must be PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512",
    })
    .optional()
    .describe("SASL mechanism; the password is the secret `brokerPassword`"),
  username: userName.optional().describe("SASL user; required with `mechanism`"),
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
  bootstrap: addresses.describe(
    "Bootstrap servers for containers; required for an external cluster",
  ),
  hostBootstrap: addresses
    .optional()
    .describe("Bootstrap servers for this machine, if they differ"),
  security: brokerSecurity,
});

export const brokerData = {
  role: "data",
  name: "kafka-data",
  path: "/var/lib/kafka/data",
  loss: "irreplaceable",
} as const satisfies DataVolume;

export const brokerConfig = externalConfig({
  container: brokerContainer,
  external: brokerExternal,
  deployedWith: "broker.mode=container",
  volumes: [brokerData],
  images: { broker: "apache/kafka:4.1.2" },
  secrets: { brokerPassword: "Password at an external broker" },
  nested: { security: securityFields },
});

export type BrokerConfig = z.infer<typeof brokerConfig.block>;
