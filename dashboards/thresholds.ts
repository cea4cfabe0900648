import { LIVE_LOAD_SECONDS, LOADS_UNTIL_LATE } from "../contract/schedule.ts";

/** Thresholds of rules and panels. The first group is required; a change breaks the tests of the rules. */
export const thresholds = {
  failedQueriesPerSecond: 0,
  memoryResidentPercent: 85,
  activeParts: 500,
  brokersUp: 1,
  consumerLag: 10_000,
  producedPerSecond: 0.1,
  generatorSilenceSeconds: 120,

  /** Minimum of heartbeats in two minutes; the scheduler sends one every five seconds. */
  schedulerHeartbeats: 1,
  /** Maximum of queued tasks; the four DAGs together have fewer. */
  queuedTasks: 10,
  /** Maximum parse time; four small DAG files exceed it only if one does work at import. */
  parseSeconds: 30,

  /** Maximum of messages outside stg: a minute at the default rate, above the count of markers. */
  stuckMessages: 500,
  /** Maximum share of marked messages; the default defects are below two percent. */
  errorSharePercent: 5,
  /** Minimum of messages for a significant share. */
  fewestMessages: 100,
  /** Maximum age of the marts; the batch process runs at least once a day. */
  martAgeSeconds: 24 * 3600,
  /** The same while events come, in live mode. */
  liveMartAgeSeconds: LOADS_UNTIL_LATE * LIVE_LOAD_SECONDS,
  /** Maximum of parts; ClickHouse delays inserts at 1000, and normal operation is far below. */
  partsPerPartition: 100,
  /** Maximum size of system logs; all have a short time to live and are far smaller. */
  systemLogBytes: 2 * 1024 ** 3,
  /** Horizon of the forecast of free space, in seconds. */
  diskHorizonSeconds: 24 * 3600,
  diskForeseenBytes: 0,
  diskFreePercent: 10,
  /** Share of the server's memory limit, percent; at the limit the server refuses queries. */
  memoryOfLimitPercent: 90,
  /** Maximum age of a hit in the collector's journal; a delivery takes a second or two. */
  hitAgeSeconds: 120,
  badHitsPercent: 5,
  /** Minimum of hits within an hour for a significant share. */
  fewestHits: 100,
  /** Maximum time of the collector's answers; the slowest disks take a tenth. */
  answerSeconds: 0.5,
  any: 0,
} as const;
