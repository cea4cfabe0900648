import { DATABASE_MEMORY_SHARE } from "../../contract/metrics.ts";
import { databaseConsumers, databaseState, databaseWork } from "../signals/database.ts";
import { pipeline } from "../signals/pipeline.ts";
import { thresholds } from "../thresholds.ts";
import { DASHBOARD_UIDS } from "../uids.ts";
import type { AlertRule } from "./rule.ts";

const common = {
  group: "database",
  noData: "ok",
  dashboard: DASHBOARD_UIDS.database,
  isSpecified: false,
} as const;

const specified: AlertRule[] = [
  {
    ...common,
    name: "DatabaseFailedQueries",
    severity: "warning",
    signal: databaseWork.failedQueries,
    fires: { when: "above", threshold: thresholds.failedQueriesPerSecond },
    for: "2m",
    summary: (value) => `${value} queries per second fail`,
    about: "A typo in the SQL page counts as well and needs no action.",
    hint: "`SELECT event_time, user, exception, query FROM system.query_log WHERE exception_code != 0 ORDER BY event_time DESC LIMIT 20` shows queries and users.",
    drill: { kind: "bad-query" },
    isSpecified: true,
  },
  {
    ...common,
    name: "DatabaseMemoryResidentHigh",
    severity: "critical",
    signal: databaseState.memoryResident,
    fires: { when: "above", threshold: thresholds.memoryResidentPercent },
    for: "5m",
    summary: (value) => `The database uses ${value} % of the machine's memory`,
    hint: "`SELECT query_id, query, memory_usage FROM system.processes ORDER BY memory_usage DESC` shows the largest queries: end one with `KILL QUERY WHERE query_id = '…'`, or add memory to the machine.",
    isSpecified: true,
  },
  {
    ...common,
    name: "DatabasePartsActiveHigh",
    severity: "warning",
    signal: databaseState.activeParts,
    fires: { when: "above", threshold: thresholds.activeParts },
    for: "10m",
    summary: (value) => `${value} active parts: merges do not keep up`,
    about: "Merges do not keep up: see *Merges* and *Inserted rows*.",
    hint: "`SELECT table, count() FROM system.parts WHERE active GROUP BY table ORDER BY 2 DESC` shows the table: stop its small inserts (`make generator-down`, if they come from the generator).",
    isSpecified: true,
  },
];

const ours: AlertRule[] = [
  {
    ...common,
    name: "DatabasePartsPerPartitionHigh",
    severity: "warning",
    signal: databaseState.partsPerPartition,
    fires: { when: "above", threshold: thresholds.partsPerPartition },
    for: "10m",
    summary: (value) => `One partition has ${value} parts`,
    about: "At 1000 parts the database delays inserts.",
    hint: "`SELECT table, partition, count() FROM system.parts WHERE active GROUP BY 1, 2 ORDER BY 3 DESC` shows the table: stop its small inserts (`make generator-down`, if they come from the generator).",
  },
  {
    ...common,
    name: "DatabaseInsertsRejected",
    severity: "critical",
    signal: databaseWork.insertTroubles,
    fires: { when: "above", threshold: thresholds.insertTroublesPerSecond },
    for: "2m",
    summary: (value) => `${value} inserts per second are delayed or rejected`,
    about: "The database rejects or delays inserts.",
    hint: "`make generator-down`, wait until *Parts* falls, then `make generator-up`.",
  },
  {
    ...common,
    name: "DatabaseKafkaCommitFailures",
    severity: "warning",
    signal: databaseConsumers.commitFailures,
    fires: { when: "above", threshold: thresholds.commitFailuresPerSecond },
    for: "5m",
    summary: (value) => `${value} offset commits fail per second; messages are delivered again`,
    about:
      "Messages are delivered again; `stg` replaces their rows, so there are no duplicates. The usual reason is a restarting broker.",
    hint: "`SELECT table, exceptions.text FROM system.kafka_consumers` shows the exception; `make logs SERVICE=kafka` shows whether the broker restarts.",
  },
  {
    ...common,
    name: "DatabaseSystemLogsGrowing",
    severity: "warning",
    signal: pipeline.systemLogs,
    fires: { when: "above", threshold: thresholds.systemLogBytes },
    for: "10m",
    summary: (value) => `The database's own logs take ${value} bytes`,
    about: "A log has lost its time to live, often because an upgrade left a copy (`query_log_0`).",
    hint: "`SELECT table, sum(bytes_on_disk) FROM system.parts WHERE database = 'system' GROUP BY table ORDER BY 2 DESC` shows the log; `DROP TABLE system.NAME_0` deletes a copy.",
  },
  {
    ...common,
    name: "DatabaseDiskFullForeseen",
    severity: "warning",
    signal: databaseState.diskForeseen,
    fires: { when: "below", threshold: thresholds.diskForeseenBytes },
    for: "15m",
    summary: (value) => `In a day ${value} bytes will be free: the disk fills up`,
    about:
      "The disk will be full in a day if the trend of the last six hours (at least half an hour) continues. After one large load the alert resolves by itself.",
    hint: "`docker system df` shows the size of images and volumes: free space, or shorten retention (`prometheus.retentionMiB`, then `make up`).",
  },
  {
    ...common,
    name: "DatabaseDiskLow",
    severity: "critical",
    signal: databaseState.diskFree,
    fires: { when: "below", threshold: thresholds.diskFreePercent },
    for: "5m",
    summary: (value) => `${value} % of the data volume is free`,
    about: "Merges begin to fail.",
    hint: "Free space now: `docker system df` shows the size of images and volumes.",
  },
  {
    ...common,
    name: "DatabaseMemoryNearLimit",
    severity: "warning",
    signal: databaseState.memoryOfLimit,
    fires: { when: "above", threshold: thresholds.memoryOfLimitPercent },
    for: "5m",
    summary: (value) => `Queries and caches use ${value} % of the memory limit of the database`,
    about: `The server may use ${100 * DATABASE_MEMORY_SHARE} % of the container's memory and refuses queries at that limit.`,
    hint: "Raise `clickhouse.memoryMiB` in the stack's configuration, then `make up`.",
  },
];

export const databaseRules: readonly AlertRule[] = [...specified, ...ours];
