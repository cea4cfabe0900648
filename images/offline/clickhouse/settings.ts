import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { type BrokerConnection, SASL_MECHANISMS } from "../../../contract/broker.ts";

/** Configuration folders of the server, whose YAML files apply in order of name. */
const FOLDERS = ["/etc/clickhouse-server/config.d", "/etc/clickhouse-server/users.d"] as const;

const collection = z.object({
  kafka_broker_list: z.string(),
  kafka_security_protocol: z.string().default("plaintext"),
  kafka_sasl_mechanism: z.enum(SASL_MECHANISMS).optional(),
  kafka_sasl_username: z.string().default(""),
  kafka_sasl_password: z.string().default(""),
});

const user = z.object({ password_sha256_hex: z.string() });

/** Settings that the replacement reads; other settings have no effect. */
const schema = z.object({
  listen_host: z.string().default("127.0.0.1"),
  prometheus: z.object({ port: z.int() }).optional(),
  named_collections: z.object({ kafka: collection }),
  users: z.object({ default: user, bi: user, monitor: user }),
});

export interface Settings {
  readonly listenHost: string;
  readonly metricsPort: number | undefined;
  /** Hash of the password of `default`, in the HTTP interface's format. */
  readonly passwordHash: string;
  readonly users: Readonly<Record<"bi" | "monitor", string>>;
  readonly broker: BrokerConnection;
}

export function readSettings(): Settings {
  const merged = Object.assign({}, ...files().map((file) => parse(readFileSync(file, "utf8"))));
  const config = schema.parse(merged);
  return {
    listenHost: config.listen_host,
    metricsPort: config.prometheus?.port,
    passwordHash: hashOf(config.users.default),
    users: { bi: hashOf(config.users.bi), monitor: hashOf(config.users.monitor) },
    broker: connection(config.named_collections.kafka),
  };
}

const hashOf = ({ password_sha256_hex: hash }: z.infer<typeof user>): string => `sha256:${hash}`;

const connection = (values: z.infer<typeof collection>): BrokerConnection => ({
  bootstrap: values.kafka_broker_list.split(","),
  tls: values.kafka_security_protocol.endsWith("ssl") ? {} : null,
  sasl: values.kafka_sasl_mechanism
    ? {
        mechanism: values.kafka_sasl_mechanism,
        username: values.kafka_sasl_username,
        password: values.kafka_sasl_password,
      }
    : null,
});

export const files = (): string[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".yaml"))
      .sort()
      .map((name) => join(folder, name)),
  );
