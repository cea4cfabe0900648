import type { BrokerEndpoint } from "./endpoints.ts";
import { secretText, type Text } from "./secret-text.ts";

/** A secret if the broker has a password. */
export const withBrokerPassword = (
  { security }: BrokerEndpoint,
  render: (password?: string) => string,
): Text =>
  security.sasl
    ? secretText(["brokerPassword"], ({ brokerPassword }) => render(brokerPassword))
    : render();
