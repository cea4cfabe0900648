/** Metric names of the generator's endpoint on port 9109; dashboards and alerts use these names. */

export const generatorMetrics = {
  events: "generator_events_total",
  publishErrors: "generator_publish_errors_total",
  tickDuration: "generator_tick_duration_seconds",
  lastSuccess: "generator_last_success_timestamp",
  coefficient: "generator_daily_coefficient",
  activeSessions: "generator_active_sessions",
  population: "generator_population",
  modelTime: "generator_model_time_seconds",
  clampedTicks: "generator_clamped_ticks_total",
  rejectedSessions: "generator_rejected_sessions_total",
  backfillProgress: "generator_backfill_progress_ratio",
  targetRate: "generator_target_page_events_per_minute",
  /** One of the numbers in `generatorStates`. */
  state: "generator_service_state",
  /** 1 if batches are due; 0 if the generator is idle on purpose. */
  due: "generator_batches_due",
  startedAt: "generator_start_timestamp",
  /** Seconds between two batches, as configured. */
  tickSeconds: "generator_tick_seconds",
  buildInfo: "generator_build_info",
} as const;

/** Values of the gauge `state`, by the state's name on /status. */
export const generatorStates = {
  starting: 0,
  standby: 1,
  paused: 2,
  finished: 3,
  running: 4,
  refused: 5,
  failed: 6,
} as const;

export type GeneratorState = keyof typeof generatorStates;

/** Metric names, scraped from `dm_internal.v_pipeline_metrics` with `FORMAT Prometheus`. */
export const pipelineMetrics = {
  /** Labels `stream` and `state`. `lost` and `doubled` count all epochs, other states the latest. */
  messages: "pipeline_messages",
  /** Messages of the latest epoch; labels `stream` and `reason` (a marker). */
  markedMessages: "pipeline_marked_messages",
  /** Messages of all epochs; falls when they arrive late. Labels as above. */
  missingMessages: "pipeline_missing_messages",
  /** Unix seconds of wall-clock time; label `layer`. */
  newestIngestion: "pipeline_newest_ingestion_timestamp_seconds",
  /** Unix seconds of wall-clock time; label `layer`, only stg. */
  oldestIngestion: "pipeline_oldest_ingestion_timestamp_seconds",
  /** Unix seconds of event time, without skewed clocks; label `layer`, only dm. */
  newestEvent: "pipeline_newest_event_timestamp_seconds",
  /** Offset after the last one in stg; labels `topic` and `partition`. */
  nextOffset: "pipeline_stg_next_offset",
  /** Rows of every table; labels `layer` and `entity`. */
  rows: "pipeline_rows",
  orphanEvents: "pipeline_orphan_events",
  systemLogBytes: "pipeline_system_log_bytes",
} as const;

/** Metric names of `pipeline ingest`; label `topic`. */
export const ingestMetrics = {
  /** Rows stored, also those that were stored before. */
  rows: "ingest_rows_total",
  /** Failures, after each of which a new member reads from the committed offsets. */
  retries: "ingest_retries_total",
  /** Committed offsets that are not stored yet, of the partitions of this process. */
  lag: "ingest_lag_offsets",
} as const;

/** Metric names of `pipeline collect`. */
export const collectorMetrics = {
  /** Hits in the journal; labels `protocol` and `result`: good, or bad if the request is no hit. */
  hits: "collector_hits_total",
  /** Requests that are refused; label `reason`, one of `collectorRefusals`. */
  refused: "collector_refused_requests_total",
  /** From a request to its answer, seconds. */
  duration: "collector_request_duration_seconds",
  /** Hits that are not delivered yet, their bytes, and the age of the oldest one. */
  waiting: "collector_waiting_hits",
  waitingBytes: "collector_waiting_bytes",
  oldestWaiting: "collector_oldest_waiting_seconds",
  /** Deliveries that failed, each of which is repeated. */
  failures: "collector_delivery_failures_total",
} as const;

/** Values of the label `reason`, by the status of the answer. */
export const collectorRefusals: Readonly<Record<number, string>> = {
  403: "origin",
  404: "address",
  413: "size",
  429: "rate",
  503: "full",
};

/** Share of the container's memory that ClickHouse may use; at 100 %, queries fail. */
export const DATABASE_MEMORY_SHARE = 0.8;
