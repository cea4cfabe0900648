import type { BrokerConnection, SASL_MECHANISMS } from "../../contract/broker.ts";

/** How to reach a part of the stack. Components hand on endpoints, never containers. */

interface BrokerSecurity {
  readonly tls: boolean;
  readonly sasl: {
    readonly mechanism: (typeof SASL_MECHANISMS)[number];
    readonly username: string;
  } | null;
}

export interface BrokerEndpoint {
  /** Bootstrap servers for containers of the stack. */
  readonly inside: string;
  /** Bootstrap servers for programs on this machine. */
  readonly host: string;
  readonly security: BrokerSecurity;
}

export interface DatabaseEndpoint {
  readonly insideUrl: string;
  readonly hostUrl: string;
  readonly user: string;
}

/** Environment of clients of the broker; the password travels beside it as a secret. */
export function brokerEnvironment(
  endpoint: BrokerEndpoint,
  from: "inside" | "host",
): Record<string, string> {
  const { tls, sasl } = endpoint.security;
  return {
    KAFKA_BOOTSTRAP_SERVERS: endpoint[from],
    ...(tls ? { KAFKA_TLS: "true" } : {}),
    ...(sasl ? { KAFKA_SASL_MECHANISM: sasl.mechanism, KAFKA_SASL_USERNAME: sasl.username } : {}),
  };
}

/** The broker as the database reaches it, where that is told by a command and not by a file. */
const DATABASE_BROKER = "KAFKA_DATABASE_BOOTSTRAP_SERVERS";

/** Environment of commands on this machine that work with broker and database. */
export const commandEnvironment = (
  broker: BrokerEndpoint,
  database: DatabaseEndpoint,
): Record<string, string> => ({
  ...brokerEnvironment(broker, "host"),
  ...databaseEnvironment(database),
  [DATABASE_BROKER]: broker.inside,
});

export const databaseEnvironment = (endpoint: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_URL: endpoint.hostUrl,
  CLICKHOUSE_USER: endpoint.user,
});

/** The same as the clients of the pipeline take it. */
export function connectionOf(
  { inside, security }: BrokerEndpoint,
  password: string | undefined,
): BrokerConnection {
  const { tls, sasl } = security;
  return {
    bootstrap: inside.split(","),
    tls: tls ? {} : null,
    sasl: sasl ? { ...sasl, password: password ?? "" } : null,
  };
}
