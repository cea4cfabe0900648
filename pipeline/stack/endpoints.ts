/** How to reach a part of the stack. Components hand on endpoints, never containers. */

export interface BrokerSecurity {
  readonly tls: boolean;
  readonly sasl: { readonly mechanism: string; readonly username: string } | null;
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

export const databaseEnvironment = (endpoint: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_URL: endpoint.hostUrl,
  CLICKHOUSE_USER: endpoint.user,
});

/** librdkafka's words for the same security, as the database's Kafka engine reads them. */
export function brokerCollection(endpoint: BrokerEndpoint, password: string | undefined) {
  const { tls, sasl } = endpoint.security;
  return {
    kafka_broker_list: endpoint.inside,
    ...(tls || sasl ? { kafka_security_protocol: protocolOf(endpoint.security) } : {}),
    ...(sasl
      ? {
          kafka_sasl_mechanism: sasl.mechanism,
          kafka_sasl_username: sasl.username,
          kafka_sasl_password: password ?? "",
        }
      : {}),
  };
}

const protocolOf = ({ tls, sasl }: BrokerSecurity): string =>
  sasl ? (tls ? "sasl_ssl" : "sasl_plaintext") : tls ? "ssl" : "plaintext";
