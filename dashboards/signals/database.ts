import { DATABASE_MEMORY_SHARE } from "../../contract/database.ts";
import { metric, rate, WINDOW } from "../promql.ts";
import { signals } from "../signal.ts";
import { thresholds } from "../thresholds.ts";

const event = (name: string): string => metric("database", `ClickHouseProfileEvents_${name}`);
const now = (name: string): string => metric("database", `ClickHouseMetrics_${name}`);
const sampled = (name: string): string => metric("database", `ClickHouseAsyncMetrics_${name}`);
const perQuery = (time: string, queries: string): string =>
  `${rate(event(time))} / clamp_min(${rate(event(queries))}, 1e-9) / 1e6`;
const total = sampled("OSMemoryTotal");
/** What the server may take of the container's memory, or of the machine's where it has no limit. */
const limit = `(${sampled("CGroupMemoryTotal")} > 0 or ${total}) * ${DATABASE_MEMORY_SHARE}`;

/** Queries and inserts. */
export const databaseWork = signals({
  failedQueries: {
    name: "Failed queries",
    meaning:
      "Queries that ended with an error. Zero at rest: look for the error and who sent it in system.query_log.",
    unit: "reqps",
    type: "rate",
    expr: rate(event("FailedQuery")),
    legend: "failed",
  },
  queries: {
    name: "Queries",
    meaning:
      "All queries the server began. A sudden fall with a busy pipeline means clients cannot reach it.",
    unit: "reqps",
    type: "rate",
    expr: rate(event("Query")),
    legend: "all",
  },
  selects: {
    name: "Selects",
    meaning: "Read queries: BI, checks and the batch process.",
    unit: "reqps",
    type: "rate",
    expr: rate(event("SelectQuery")),
    legend: "select",
  },
  inserts: {
    name: "Inserts",
    meaning: "Insert queries. Many small ones make many parts: batch them.",
    unit: "reqps",
    type: "rate",
    expr: rate(event("InsertQuery")),
    legend: "insert",
  },
  queryTime: {
    name: "Time per query",
    meaning:
      "Mean time of a query. When it grows, look for merges, memory and the longest queries in system.processes.",
    unit: "s",
    type: "level",
    expr: perQuery("QueryTimeMicroseconds", "Query"),
    legend: "all",
  },
  selectTime: {
    name: "Time per select",
    meaning: "Mean time of a read query: what people at the dashboards wait.",
    unit: "s",
    type: "level",
    expr: perQuery("SelectQueryTimeMicroseconds", "SelectQuery"),
    legend: "select",
  },
  insertedRows: {
    name: "Inserted rows",
    meaning: "Rows written, materialized views included.",
    unit: "ops",
    type: "rate",
    expr: rate(event("InsertedRows")),
    legend: "rows",
  },
  insertTroubles: {
    name: "Rejected and delayed inserts",
    meaning:
      "The server slows or refuses inserts because a partition has too many parts. Stop what inserts in small pieces and let merges catch up.",
    unit: "ops",
    type: "rate",
    expr: `${rate(event("RejectedInserts"))} + ${rate(event("DelayedInserts"))}`,
    legend: "rejected and delayed",
  },
  connections: {
    name: "HTTP connections",
    meaning: "Open connections: clients that leak them end up refused.",
    unit: "short",
    type: "level",
    expr: now("HTTPConnection"),
    legend: "HTTP",
  },
});

/** Parts, merges, memory, disk. */
export const databaseState = signals({
  memoryResident: {
    name: "Resident memory of the machine's",
    meaning: `Physical memory of the server as a share of the machine's. Above ${thresholds.memoryResidentPercent} % the machine is about to swap or kill.`,
    unit: "percent",
    type: "level",
    expr: `${sampled("MemoryResident")} / ${total} * 100`,
    legend: "resident",
  },
  memoryOfLimit: {
    name: "Tracked memory of the limit",
    meaning:
      "What queries and caches hold of what the server allows itself, a fixed share of the container's memory. At the whole of it queries are refused: raise database.memoryMiB or run less at once.",
    unit: "percent",
    type: "level",
    expr: `${now("MemoryTracking")} / (${limit}) * 100`,
    legend: "tracked",
  },
  activeParts: {
    name: "Active parts",
    meaning: "Parts of all tables. A steady rise means merges do not keep up with inserts.",
    unit: "short",
    type: "level",
    expr: now("PartsActive"),
    legend: "active",
  },
  partsPerPartition: {
    name: "Most parts in one partition",
    meaning:
      "The number by which inserts are delayed and refused. Look for small inserts and stuck merges.",
    unit: "short",
    type: "level",
    expr: sampled("MaxPartCountForPartition"),
    legend: "parts",
  },
  merges: {
    name: "Merges and mutations",
    meaning: "Background work under way. Always busy means the disk is the limit.",
    unit: "short",
    type: "level",
    expr: now("Merge"),
    legend: "merges",
  },
  detachedParts: {
    name: "Detached parts",
    meaning:
      "Parts taken out of service, by hand or because they are broken. See system.detached_parts.",
    unit: "short",
    type: "level",
    expr: sampled("NumberOfDetachedParts"),
    legend: "detached",
  },
  storedRows: {
    name: "Rows",
    meaning: "Rows of all tables.",
    unit: "short",
    type: "total",
    expr: sampled("TotalRowsOfMergeTreeTables"),
    legend: "rows",
  },
  storedBytes: {
    name: "Bytes on disk",
    meaning: "Size of all tables, compressed.",
    unit: "bytes",
    type: "total",
    expr: sampled("TotalBytesOfMergeTreeTables"),
    legend: "bytes",
  },
  diskFree: {
    name: "Free disk",
    meaning:
      "Free share of the volume with the data. Below a tenth merges begin to fail: free space or shorten retention.",
    unit: "percent",
    type: "level",
    expr: `${sampled("DiskAvailable_default")} / ${sampled("DiskTotal_default")} * 100`,
    legend: "free",
  },
  diskForeseen: {
    name: "Free disk, a day ahead",
    meaning:
      "Free bytes in a day if the last six hours go on. Below zero the disk will be full: act before it is.",
    unit: "bytes",
    type: "level",
    // A few minutes foresee nothing; a disk no longer told of would be foreseen for six hours more.
    expr: `predict_linear(${sampled("DiskAvailable_default")}[6h], ${thresholds.diskHorizonSeconds}) and ${sampled("DiskAvailable_default")} and ${sampled("DiskAvailable_default")} offset 30m`,
    legend: "foreseen",
    emptyWhen: "less than half an hour has been watched",
  },
  cpu: {
    name: "Processor",
    meaning: "Share of all cores that are busy, whole machine.",
    unit: "percent",
    type: "level",
    expr: `(${sampled("OSUserTimeNormalized")} + ${sampled("OSSystemTimeNormalized")}) * 100`,
    legend: "busy",
  },
  uptime: {
    name: "Uptime",
    meaning:
      "Since the server started. Small after a restart nobody ordered: see make logs SERVICE=database.",
    unit: "s",
    type: "level",
    expr: sampled("Uptime"),
    legend: "uptime",
  },
});

/** The Kafka engine: how messages get from the broker into stg. */
export const databaseConsumers = signals({
  messagesRead: {
    name: "Messages read from the broker",
    meaning:
      "What the Kafka engine takes up. Zero while the generator sends: see system.kafka_consumers for the exception.",
    unit: "ops",
    type: "rate",
    expr: rate(event("KafkaMessagesRead")),
    legend: "read",
  },
  consumers: {
    name: "Consumers with an assignment",
    meaning: "One per stream. Fewer: a consumer has lost its group; see system.kafka_consumers.",
    unit: "short",
    type: "level",
    expr: now("KafkaConsumersWithAssignment"),
    legend: "consumers",
  },
  commitFailures: {
    name: "Commit failures",
    meaning:
      "Offsets that could not be committed: the messages come again. Rows replace themselves in stg, so none doubles, but it should not last.",
    unit: "ops",
    type: "rate",
    expr: rate(event("KafkaCommitFailures")),
    legend: "failures",
  },
  consumerErrors: {
    name: "Consumer errors",
    meaning: `Errors of the client library over ${WINDOW}: broker away, topic gone, authentication refused.`,
    unit: "ops",
    type: "rate",
    expr: rate(event("KafkaConsumerErrors")),
    legend: "errors",
  },
});
