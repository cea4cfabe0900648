import { DATABASE_MEMORY_SHARE } from "../../contract/metrics.ts";
import { metric, rate, WINDOW } from "../promql.ts";
import { signals } from "../signal.ts";
import { thresholds } from "../thresholds.ts";

const event = (name: string): string => metric("database", `ClickHouseProfileEvents_${name}`);
const now = (name: string): string => metric("database", `ClickHouseMetrics_${name}`);
const sampled = (name: string): string => metric("database", `ClickHouseAsyncMetrics_${name}`);
const perQuery = (time: string, queries: string): string =>
  `${rate(event(time))} / clamp_min(${rate(event(queries))}, 1e-9) / 1e6`;
const total = sampled("OSMemoryTotal");
/** Memory limit of the server: a share of the container's memory, or of the machine's. */
const limit = `(${sampled("CGroupMemoryTotal")} > 0 or ${total}) * ${DATABASE_MEMORY_SHARE}`;

export const databaseWork = signals({
  failedQueries: {
    name: "Failed queries",
    meaning:
      "Queries that ended with an error. Normally zero; system.query_log has the error and the user.",
    unit: "reqps",
    expr: rate(event("FailedQuery")),
    legend: "failed",
  },
  queries: {
    name: "Queries",
    meaning:
      "All queries that the server started. A sudden drop in a busy pipeline means that clients cannot reach it.",
    unit: "reqps",
    expr: rate(event("Query")),
    legend: "all",
  },
  selects: {
    name: "Selects",
    meaning: "Read queries of BI, checks and the batch process.",
    unit: "reqps",
    expr: rate(event("SelectQuery")),
    legend: "select",
  },
  inserts: {
    name: "Inserts",
    meaning: "Insert queries. Many small inserts create many parts: batch them.",
    unit: "reqps",
    expr: rate(event("InsertQuery")),
    legend: "insert",
  },
  queryTime: {
    name: "Time per query",
    meaning:
      "Mean time of a query. If the time grows, check merges, memory and the longest queries in system.processes.",
    unit: "s",
    expr: perQuery("QueryTimeMicroseconds", "Query"),
    legend: "all",
  },
  selectTime: {
    name: "Time per select",
    meaning: "Mean time of a read query, for which dashboard users wait.",
    unit: "s",
    expr: perQuery("SelectQueryTimeMicroseconds", "SelectQuery"),
    legend: "select",
  },
  insertedRows: {
    name: "Inserted rows",
    meaning: "Rows written, including materialized views.",
    unit: "ops",
    expr: rate(event("InsertedRows")),
    legend: "rows",
  },
  insertTroubles: {
    name: "Rejected and delayed inserts",
    meaning:
      "The server delays or rejects inserts because a partition has too many parts. Stop small inserts until merges catch up.",
    unit: "ops",
    expr: `${rate(event("RejectedInserts"))} + ${rate(event("DelayedInserts"))}`,
    legend: "rejected and delayed",
  },
  connections: {
    name: "HTTP connections",
    meaning: "Open connections. The server refuses new ones if clients leak them.",
    expr: now("HTTPConnection"),
    legend: "HTTP",
  },
});

export const databaseState = signals({
  memoryResident: {
    name: "Resident memory of the machine's",
    meaning: `Physical memory of the server as a share of the machine's memory. Above ${thresholds.memoryResidentPercent} % the machine is about to swap or kill processes.`,
    unit: "percent",
    expr: `${sampled("MemoryResident")} / ${total} * 100`,
    legend: "resident",
  },
  memoryOfLimit: {
    name: "Tracked memory of the limit",
    meaning:
      "Memory of queries and caches as a share of the server's limit, a fixed share of the container's memory. At 100 % the server refuses queries: raise clickhouse.memoryMiB or run fewer queries at once.",
    unit: "percent",
    expr: `${now("MemoryTracking")} / (${limit}) * 100`,
    legend: "tracked",
  },
  activeParts: {
    name: "Active parts",
    meaning: "Parts of all tables. A steady rise means that merges do not keep up with inserts.",
    expr: now("PartsActive"),
    legend: "active",
  },
  partsPerPartition: {
    name: "Most parts in one partition",
    meaning:
      "The server delays and rejects inserts by this number. Look for small inserts and stuck merges.",
    expr: sampled("MaxPartCountForPartition"),
    legend: "parts",
  },
  merges: {
    name: "Merges and mutations",
    meaning: "Running background work. If work never stops, the disk is the bottleneck.",
    expr: now("Merge"),
    legend: "merges",
  },
  detachedParts: {
    name: "Detached parts",
    meaning:
      "Parts that were detached by hand or because they are broken. See system.detached_parts.",
    expr: sampled("NumberOfDetachedParts"),
    legend: "detached",
  },
  storedRows: {
    name: "Rows",
    meaning: "Rows of all tables.",
    expr: sampled("TotalRowsOfMergeTreeTables"),
    legend: "rows",
  },
  storedBytes: {
    name: "Bytes on disk",
    meaning: "Size of all tables, compressed.",
    unit: "bytes",
    expr: sampled("TotalBytesOfMergeTreeTables"),
    legend: "bytes",
  },
  diskFree: {
    name: "Free disk",
    meaning:
      "Free share of the data volume. Below 10 % merges begin to fail: free space or shorten retention.",
    unit: "percent",
    expr: `${sampled("DiskAvailable_default")} / ${sampled("DiskTotal_default")} * 100`,
    legend: "free",
  },
  diskForeseen: {
    name: "Free disk, a day ahead",
    meaning:
      "Free bytes in a day if the trend of the last six hours continues. Below zero, the disk will be full within a day.",
    unit: "bytes",
    // Both `and` terms prevent forecasts from few minutes of data, or of a removed disk.
    expr: `predict_linear(${sampled("DiskAvailable_default")}[6h], ${thresholds.diskHorizonSeconds}) and ${sampled("DiskAvailable_default")} and ${sampled("DiskAvailable_default")} offset 30m`,
    legend: "foreseen",
    emptyWhen: "Prometheus has less than half an hour of data",
  },
  cpu: {
    name: "Processor",
    meaning: "Busy share of all cores of the machine.",
    unit: "percent",
    expr: `(${sampled("OSUserTimeNormalized")} + ${sampled("OSSystemTimeNormalized")}) * 100`,
    legend: "busy",
  },
  uptime: {
    name: "Uptime",
    meaning:
      "Time since the server started. After an unexpected restart: make logs SERVICE=clickhouse.",
    unit: "s",
    expr: sampled("Uptime"),
    legend: "uptime",
  },
});

export const databaseConsumers = signals({
  messagesRead: {
    name: "Messages read from the broker",
    meaning:
      "Messages that the Kafka engine reads. If the rate is zero while the generator sends, see the exception in system.kafka_consumers.",
    unit: "ops",
    expr: rate(event("KafkaMessagesRead")),
    legend: "read",
  },
  consumers: {
    name: "Consumers with an assignment",
    meaning: "Consumers that read, one per stream. If there are fewer, see system.kafka_consumers.",
    expr: now("KafkaConsumersWithAssignment"),
    legend: "consumers",
  },
  commitFailures: {
    name: "Commit failures",
    meaning:
      "Offset commits that failed. The messages are delivered again, and stg replaces the rows, so there are no duplicates. Lasting failures need action.",
    unit: "ops",
    expr: rate(event("KafkaCommitFailures")),
    legend: "failures",
  },
  consumerErrors: {
    name: "Consumer errors",
    meaning: `Errors of the client library over ${WINDOW}: broker down, topic missing, authentication failed.`,
    unit: "ops",
    expr: rate(event("KafkaConsumerErrors")),
    legend: "errors",
  },
});
