import type { BrokerEndpoint } from "./endpoints.ts";
import { secretText, type Text } from "./secret-text.ts";

/** Text of a file with the broker's login: a secret if the broker has a password. */
export const withBrokerPassword = (
  { security }: BrokerEndpoint,
  render: (password?: string) => string,
): Text =>
  security.sasl
    ? secretText(["brokerPassword"], ({ brokerPassword }) => render(brokerPassword))
    : render();
