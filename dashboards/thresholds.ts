/**
 * The one place of every threshold: panels colour by them, alert rules fire by them.
 * The first group is the specification's; the second are ours, with the reason beside each.
 */
export const thresholds = {
  failedQueriesPerSecond: 0,
  memoryResidentPercent: 85,
  activeParts: 500,
  brokersUp: 1,
  consumerLag: 10_000,
  producedPerSecond: 0.1,
  generatorSilenceSeconds: 120,

  /** The scheduler beats about every five seconds: none in two minutes is no hiccup. */
  schedulerHeartbeats: 1,
  /** All tasks of the four DAGs together are fewer. */
  queuedTasks: 10,
  taskFailures: 0,
  /** The DAGs are four small files; half a minute means that a file does work while it is read. */
  parseSeconds: 30,
  importErrors: 0,

  publishErrorsPerSecond: 0,
  /** A minute of the default rate, well above the markers that transactions leave in the log. */
  stuckMessages: 500,
  /** The typical defects together stay below two percent. */
  errorSharePercent: 5,
  /** Of fewer messages a share says nothing. */
  fewestMessages: 100,
  /** The batch process is started by hand or by schedule, at least once a day. */
  martAgeSeconds: 24 * 3600,
  unaccountedMessages: 0,
  orphanEvents: 0,
  /** ClickHouse delays inserts at 1000; a merge that keeps up stays far below. */
  partsPerPartition: 100,
  insertTroublesPerSecond: 0,
  commitFailuresPerSecond: 0,
  /** All logs that are kept have a short life and stay far below. */
  systemLogBytes: 2 * 1024 ** 3,
  /** Seconds ahead for which free space is foreseen. */
  diskHorizonSeconds: 24 * 3600,
  diskForeseenBytes: 0,
  diskFreePercent: 10,
  /** Of what the server allows itself: it refuses queries at the whole of it. */
  memoryOfLimitPercent: 90,
  /** Above zero, where any at all is bad. */
  any: 0,
} as const;
