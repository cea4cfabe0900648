import type { BrokerConnection } from "../../contract/broker.ts";

// Apart from the database client, because the stack's plan imports only these names.

export const COLLECTION = "kafka";

/**
 * In librdkafka's names with underscores; a dead consumer is missed after 10 s instead of 45.
 * @public a server's configuration file states the same below `named_collections.kafka.kafka`
 */
export const CONSUMER_SETTINGS = {
  session_timeout_ms: "10000",
  heartbeat_interval_ms: "2000",
} as const;

export function collectionEntries(connection: BrokerConnection): Record<string, string> {
  const { bootstrap, tls, sasl } = connection;
  const protocol = `${sasl ? "sasl_" : ""}${tls ? "ssl" : "plaintext"}`;
  return {
    kafka_broker_list: bootstrap.join(","),
    ...(tls || sasl ? { kafka_security_protocol: protocol } : {}),
    ...(sasl
      ? {
          kafka_sasl_mechanism: sasl.mechanism,
          kafka_sasl_username: sasl.username,
          kafka_sasl_password: sasl.password,
        }
      : {}),
    ...(tls?.ca ? { "kafka.ssl_ca_pem": tls.ca } : {}),
    ...Object.fromEntries(
      Object.entries(CONSUMER_SETTINGS).map(([name, value]) => [`kafka.${name}`, value]),
    ),
  };
}
