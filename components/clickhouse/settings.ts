import { createHash } from "node:crypto";
import { stringify } from "yaml";
import type { BrokerConnection } from "../../contract/broker.ts";
import { DATABASES } from "../../contract/layers.ts";
import { DATABASE_MEMORY_SHARE } from "../../contract/metrics.ts";
import { JOBS } from "../../dashboards/promql.ts";
import { constant, FILE_SETTINGS, SNAPSHOTS_MACRO } from "../../warehouse/engine/configuration.ts";
import { COLLECTION, collectionEntries } from "../../warehouse/epochs/collection-entries.ts";
import type { StackNames } from "../shared/names.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import { REMOVED, SYSTEM_LOGS } from "./system-logs.ts";

/** Metrics port, the same inside and outside the stack. */
export const METRICS_PORT = 9126;
export const BI_USER = "bi";
export const MONITOR_USER = "monitor";

/** Folder of snapshots: the only one beside the data that the image's user may write; logs go to the console. */
export const SNAPSHOTS = "/var/log/clickhouse-server";

/** Volume of a stack's snapshots, unless its settings name another one. */
export const snapshotsVolume = (names: StackNames): string => names.volume("snapshots");

/** @param snapshots folder of snapshots */
export const serverSettings = (snapshots = SNAPSHOTS): string =>
  stringify({
    macros: { [SNAPSHOTS_MACRO]: snapshots },
    backups: { allowed_path: snapshots },
    // Manifests are written and read by file().
    user_files_path: snapshots,
    // The container engine decides which addresses are published.
    listen_host: "0.0.0.0",
    max_server_memory_usage_to_ram_ratio: DATABASE_MEMORY_SHARE,
    timezone: "UTC",
    logger: { level: "information", console: 1, log: REMOVED, errorlog: REMOVED },
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

/** Named collection of Kafka, which keeps address and password out of the SQL of stg. */
export const kafkaCollection = (kafka: BrokerConnection): string =>
  stringify({ named_collections: { [COLLECTION]: nested(collectionEntries(kafka)) } });

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

const ANYWHERE = { ip: "::/0" } as const;

/** Returns the users with the hashes of their passwords, and their grants. */
export function userSettings(administrator: string, bi: string, monitor: string): string {
  const reader = { networks: ANYWHERE, profile: "reader", quota: "default" };
  const users = {
    default: {
      // The image's user `default` has an empty password, which a merge would keep.
      "@replace": "1",
      password_sha256_hex: hash(administrator),
      networks: ANYWHERE,
      profile: "default",
      quota: "default",
      named_collection_control: 1,
    },
    [BI_USER]: {
      password_sha256_hex: hash(bi),
      ...reader,
      grants: { query: ["GRANT SELECT ON dm.*"] },
    },
    [MONITOR_USER]: {
      password_sha256_hex: hash(monitor),
      ...reader,
      grants: { query: [...DATABASES, "system"].map((name) => `GRANT SELECT ON ${name}.*`) },
    },
  };
  // readonly 2 forbids changes of data, but allows settings of a query: also some that read files.
  const profiles = {
    reader: {
      readonly: 2,
      max_execution_time: 120,
      constraints: constant(FILE_SETTINGS),
    },
  };
  return stringify({ profiles, users });
}

const hash = (password: string): string => createHash("sha256").update(password).digest("hex");

/** Returns the job that queries the state of the layers. @param url of the HTTP interface */
export function layersJob(url: string): Omit<ScrapeJob, "login" | "use"> {
  const { protocol, host } = new URL(url);
  return {
    job: JOBS.pipeline,
    target: host,
    settings: {
      // The query counts rows, so it runs less often than other jobs.
      scrape_interval: "30s",
      scrape_timeout: "20s",
      scheme: protocol.replace(":", ""),
      metrics_path: "/",
      params: { query: ["SELECT * FROM dm_internal.v_pipeline_metrics FORMAT Prometheus"] },
    },
  };
}
