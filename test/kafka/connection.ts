import type { BrokerConnection } from "../../contract/broker.ts";

export const connectionTo = (bootstrap: string): BrokerConnection => ({
  bootstrap: [bootstrap],
  tls: null,
  sasl: null,
});
