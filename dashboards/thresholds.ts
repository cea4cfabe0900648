/** The first group is the specification's; each of the others has its reason. */
export const thresholds = {
  failedQueriesPerSecond: 0,
  memoryResidentPercent: 85,
  activeParts: 500,
  brokersUp: 1,
  consumerLag: 10_000,
  producedPerSecond: 0.1,
  generatorSilenceSeconds: 120,

  /** The scheduler sends a heartbeat about every five seconds. */
  schedulerHeartbeats: 1,
  /** The four DAGs together have fewer tasks. */
  queuedTasks: 10,
  taskFailures: 0,
  /** Four small DAG files take this long only if one does work at import. */
  parseSeconds: 30,
  importErrors: 0,

  publishErrorsPerSecond: 0,
  /** A minute at the default rate, well above the number of transaction markers. */
  stuckMessages: 500,
  /** The default defects together are below two percent. */
  errorSharePercent: 5,
  /** A share of fewer messages is not significant. */
  fewestMessages: 100,
  /** The batch process runs at least once a day. */
  martAgeSeconds: 24 * 3600,
  unaccountedMessages: 0,
  orphanEvents: 0,
  /** ClickHouse delays inserts at 1000; normal operation is far below. */
  partsPerPartition: 100,
  insertTroublesPerSecond: 0,
  commitFailuresPerSecond: 0,
  /** All enabled logs have a short time to live and are far below. */
  systemLogBytes: 2 * 1024 ** 3,
  /** Horizon of the forecast of free space, in seconds. */
  diskHorizonSeconds: 24 * 3600,
  diskForeseenBytes: 0,
  diskFreePercent: 10,
  /** Share of the server's memory limit, at which it refuses queries. */
  memoryOfLimitPercent: 90,
  any: 0,
} as const;
