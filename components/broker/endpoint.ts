import type { BrokerConnection, SASL_MECHANISMS } from "../../contract/broker.ts";
import { secretText, type Text } from "../shared/secret-text.ts";

interface BrokerSecurity {
  /** TLS; null without encryption. `ca`: certificates (PEM) that replace the system's. */
  readonly tls: { readonly ca?: string } | null;
  readonly sasl: {
    readonly mechanism: (typeof SASL_MECHANISMS)[number];
    readonly username: string;
  } | null;
}

export interface BrokerEndpoint {
  readonly inside: string;
  readonly host: string;
  readonly security: BrokerSecurity;
}

export function brokerClientEnvironment(
  endpoint: BrokerEndpoint,
  from: "inside" | "host",
): Record<string, string> {
  const { tls, sasl } = endpoint.security;
  return {
    KAFKA_BOOTSTRAP_SERVERS: endpoint[from],
    ...(tls ? { KAFKA_TLS: "true" } : {}),
    ...(tls?.ca ? { KAFKA_TLS_CA: tls.ca } : {}),
    ...(sasl ? { KAFKA_SASL_MECHANISM: sasl.mechanism, KAFKA_SASL_USERNAME: sasl.username } : {}),
  };
}

export function connectionOf(
  { inside, security }: BrokerEndpoint,
  password: string | undefined,
): BrokerConnection {
  const { tls, sasl } = security;
  return {
    bootstrap: inside.split(","),
    tls,
    sasl: sasl ? { ...sasl, password: password ?? "" } : null,
  };
}

/** Renders a text, which is secret if the broker has a password. */
export const withBrokerPassword = (
  { security }: BrokerEndpoint,
  render: (password?: string) => string,
): Text =>
  security.sasl
    ? secretText(["brokerPassword"], ({ brokerPassword }) => render(brokerPassword))
    : render();
