import { stringify } from "yaml";
import type { BrokerConnection } from "../../../contract/broker.ts";
import { DATABASE_MEMORY_SHARE } from "../../../contract/database.ts";
import { COLLECTION, collectionEntries } from "../../broker/collection-entries.ts";
import type { ConfigFile } from "../spec.ts";

/** Same number inside and outside, as the specification names it. */
export const METRICS_PORT = 9126;

const file = (path: string, settings: object, secret = false): ConfigFile => ({
  path,
  content: stringify(settings),
  secret,
});

const REMOVED = { "@remove": "1" } as const;

/** System logs the server would write by default and nobody here reads: they only grow. */
const UNUSED_LOGS = [
  "asynchronous_metric_log",
  "asynchronous_insert_log",
  "backup_log",
  "blob_storage_log",
  "latency_log",
  "metric_log",
  "opentelemetry_span_log",
  "processors_profile_log",
  "query_metric_log",
  "query_thread_log",
  "query_views_log",
  "s3queue_log",
  "session_log",
  "text_log",
  "trace_log",
] as const;

/** Logs that explain what happened, kept for as long as someone will ask. */
const KEPT_LOGS = {
  query_log: { ttl: "event_date + INTERVAL 3 DAY DELETE" },
  part_log: { ttl: "event_date + INTERVAL 3 DAY DELETE" },
  error_log: { ttl: "event_date + INTERVAL 7 DAY DELETE" },
} as const;

/** Where it listens, how much memory it may take, what it logs. Reloaded without a restart. */
export const serverFile: ConfigFile = file("10-server.yaml", {
  // Within the container's own network; what is published is the container engine's matter.
  listen_host: "0.0.0.0",
  timezone: "UTC",
  max_server_memory_usage_to_ram_ratio: DATABASE_MEMORY_SHARE,
  logger: { level: "information", console: 1, log: REMOVED, errorlog: REMOVED },
  ...Object.fromEntries(UNUSED_LOGS.map((name) => [name, REMOVED])),
  ...KEPT_LOGS,
});

/** Read at the start only: a change of this file replaces the container. */
export const metricsFile: ConfigFile = file("20-metrics.yaml", {
  prometheus: {
    endpoint: "/metrics",
    port: METRICS_PORT,
    metrics: true,
    events: true,
    asynchronous_metrics: true,
    errors: true,
  },
});

/** The named collection `kafka`: the SQL of the stg layer holds no address and no password. */
export const brokerFile = (connection: BrokerConnection): ConfigFile =>
  file(
    "30-broker.yaml",
    { named_collections: { [COLLECTION]: nested(collectionEntries(connection)) } },
    connection.sasl !== null,
  );

/** A file nests what SQL writes with a dot: `kafka.session_timeout_ms`. */
function nested(entries: Readonly<Record<string, string>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entries)) {
    const [block, name] = key.split(".");
    if (block === undefined || name === undefined) result[key] = value;
    else result[block] = { ...(result[block] as object | undefined), [name]: value };
  }
  return result;
}
