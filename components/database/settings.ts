import { stringify } from "yaml";
import { DATABASE_MEMORY_SHARE } from "../../contract/database.ts";
import { COLLECTION, collectionEntries } from "../../warehouse/ingest/collection-entries.ts";
import { withBrokerPassword } from "../shared/broker-password.ts";
import { type BrokerEndpoint, connectionOf } from "../shared/endpoints.ts";
import type { ConfigFile } from "../shared/spec.ts";
import { REMOVED, SYSTEM_LOGS } from "./system-logs.ts";

/** The same port inside and outside, as the specification requires. */
export const METRICS_PORT = 9126;

const file = (path: string, settings: object): ConfigFile => ({
  path,
  content: stringify(settings),
});

/** Reloaded without a restart. */
export const serverFile: ConfigFile = file("10-server.yaml", {
  // All addresses of the container; the container engine decides what is published.
  listen_host: "0.0.0.0",
  max_server_memory_usage_to_ram_ratio: DATABASE_MEMORY_SHARE,
  logger: { level: "information" },
});

/** Read only at the start, so a change replaces the container. */
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

/** The SQL of stg then has no address and no password. */
export function brokerFile(broker: BrokerEndpoint): ConfigFile {
  const text = (password?: string): string => {
    const entries = nested(collectionEntries(connectionOf(broker, password)));
    return stringify({ named_collections: { [COLLECTION]: entries } });
  };
  return { path: "30-broker.yaml", content: withBrokerPassword(broker, text) };
}

/** SQL writes keys with a dot, such as `kafka.session_timeout_ms`. */
function nested(entries: Readonly<Record<string, string>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entries)) {
    const [block, name] = key.split(".");
    if (block === undefined || name === undefined) result[key] = value;
    else result[block] = { ...(result[block] as object | undefined), [name]: value };
  }
  return result;
}
