import type { BrokerConnection } from "../../contract/broker.ts";

// Separate from the database client, because the stack's plan imports only these names.

/** Named collection with the broker settings of the Kafka-engine tables. */
export const COLLECTION = "kafka";

/**
 * Settings of the consumers, in librdkafka's names with underscores (below the key `kafka` of the
 * collection). A consumer that died is missed after 10 s instead of 45: its heartbeats come from a
 * thread of their own, so a slow insert does not look like a death.
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
