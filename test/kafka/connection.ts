import type { BrokerConnection } from "../../contract/broker.ts";

/** @param bootstrap one address, or several joined by commas */
export const connectionTo = (bootstrap: string): BrokerConnection => ({
  bootstrap: bootstrap.split(","),
  tls: null,
  sasl: null,
});

/** Variables with which commands and the generator use a connection. */
export const environmentOf = ({ bootstrap, tls, sasl }: BrokerConnection) => ({
  KAFKA_BOOTSTRAP_SERVERS: bootstrap.join(","),
  KAFKA_TLS: String(tls !== null),
  KAFKA_TLS_CA: tls?.ca ?? "",
  KAFKA_SASL_MECHANISM: sasl?.mechanism ?? "",
  KAFKA_SASL_USERNAME: sasl?.username ?? "",
  KAFKA_SASL_PASSWORD: sasl?.password ?? "",
});
