/** Metric names of the generator's endpoint on port 9109; dashboards and alerts use these. */
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
  /** A number of `generatorStates`. */
  state: "generator_service_state",
  /** 1: batches are due; 0: idle on purpose. */
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

/** Metric names, scraped from `dm.v_pipeline_metrics` with `FORMAT Prometheus`. */
export const pipelineMetrics = {
  /** Labels `stream` and `state`: raw, typed, rejected and pending of the latest epoch; lost and doubled of all. */
  messages: "pipeline_messages",
  /** Of the latest epoch; labels `stream` and `reason`, which is a marker. */
  markedMessages: "pipeline_marked_messages",
  /** Label `layer`; Unix seconds of wall time. */
  newestIngestion: "pipeline_newest_ingestion_timestamp_seconds",
  /** Label `layer`, only stg; Unix seconds of wall time. */
  oldestIngestion: "pipeline_oldest_ingestion_timestamp_seconds",
  /** Labels `topic` and `partition`: the offset after the last one in stg. */
  nextOffset: "pipeline_stg_next_offset",
  /** Label `layer` and `entity`: rows of every table. */
  rows: "pipeline_rows",
  orphanEvents: "pipeline_orphan_events",
  systemLogBytes: "pipeline_system_log_bytes",
} as const;
