import { stringify } from "yaml";
import { DATABASE_MEMORY_SHARE } from "../../contract/metrics.ts";
import { COLLECTION, collectionEntries } from "../../warehouse/epochs/collection-entries.ts";
import { type BrokerEndpoint, connectionOf, withBrokerPassword } from "../broker/endpoint.ts";
import type { ConfigFile } from "../shared/spec.ts";
import { REMOVED, SYSTEM_LOGS } from "./system-logs.ts";

/** Metrics port, the same inside and outside the stack (specification). */
export const METRICS_PORT = 9126;

const file = (path: string, settings: object): ConfigFile => ({
  path,
  content: stringify(settings),
});

/** Settings that the server reloads without a restart. */
export const serverFile: ConfigFile = file("10-server.yaml", {
  // The container engine decides which addresses are published.
  listen_host: "0.0.0.0",
  max_server_memory_usage_to_ram_ratio: DATABASE_MEMORY_SHARE,
  logger: { level: "information" },
});

/** Settings that the server reads only at its start; a change replaces the container. */
export const startFile: ConfigFile = file("20-start.yaml", {
  timezone: "UTC",
  logger: { console: 1, log: REMOVED, errorlog: REMOVED },
  prometheus: {
    endpoint: "/metrics",
    port: METRICS_PORT,
    metrics: true,
    events: true,
    asynchronous_metrics: true,
    errors: true,
  },
  ...SYSTEM_LOGS,
});

/** Named collection of the broker, which keeps address and password out of the SQL of stg. */
export function brokerFile(broker: BrokerEndpoint): ConfigFile {
  const text = (password?: string): string => {
    const entries = nested(collectionEntries(connectionOf(broker, password)));
    return stringify({ named_collections: { [COLLECTION]: entries } });
  };
  return { path: "30-broker.yaml", content: withBrokerPassword(broker, text) };
}

/** Converts SQL keys with a dot, such as `kafka.session_timeout_ms`, to nested blocks. */
function nested(entries: Readonly<Record<string, string>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entries)) {
    const [block, name] = key.split(".");
    if (block === undefined || name === undefined) result[key] = value;
    else result[block] = { ...(result[block] as object | undefined), [name]: value };
  }
  return result;
}
