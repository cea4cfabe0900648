import type { BrokerConnection } from "../../contract/broker.ts";

// These names are in a file of their own, because the stack's plan imports no database client.

export const COLLECTION = "kafka";

/**
 * Consumer settings in librdkafka's names; a dead consumer is detected after 10 s instead of 45, and a
 * topic created after the consumer started after 5 s instead of 300.
 * @public a server's configuration file sets them below `named_collections.kafka.kafka`
 */
export const CONSUMER_SETTINGS = {
  session_timeout_ms: "10000",
  heartbeat_interval_ms: "2000",
  topic_metadata_refresh_interval_ms: "5000",
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
