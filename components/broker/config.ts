import { z } from "zod";
import { cpus, flag, memory, port, text, userName } from "../shared/config-fields.ts";
import { type DataVolume, externalConfig } from "../shared/service-config.ts";

const addresses = text(
  "host:port, several separated by commas",
  /^[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/,
);
const brokerContainer = z.strictObject({
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

const data = { path: "/var/lib/kafka/data", loss: "irreplaceable" } as const;

/** Storage of a single broker. */
export const brokerData = {
  ...data,
  role: "data",
  name: "kafka-data",
  keptWith: "broker.mode=container and broker.nodes=1",
} as const satisfies DataVolume;

/** Storages of three brokers. Other volumes than a single broker's, whose topics have one replica. */
export const nodeData = [1, 2, 3].map((node) => ({
  ...data,
  role: `${node}-data`,
  name: `kafka-data-${node}`,
  keptWith: "broker.mode=container and broker.nodes=3",
})) satisfies DataVolume[];

export const brokerConfig = externalConfig({
  container: brokerContainer,
  external: brokerExternal,
  deployedWith: "broker.mode=container",
  volumes: [brokerData, ...nodeData],
  images: { broker: "apache/kafka:4.1.2" },
  secrets: { brokerPassword: "Password at an external broker" },
  nested: { security: securityFields },
});

export type BrokerConfig = z.infer<typeof brokerConfig.block>;
