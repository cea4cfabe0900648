/** Metric names of the generator's endpoint on port 9109; dashboards and alerts use these. */
export const generatorMetrics = {
  events: "generator_events_total",
  publishErrors: "generator_publish_errors_total",
  tickDuration: "generator_tick_duration_seconds",
  lastSuccess: "generator_last_success_timestamp",
  coefficient: "generator_daily_coefficient",
  activeVisits: "generator_active_visits",
  population: "generator_population",
  modelTime: "generator_model_time_seconds",
  stateSaved: "generator_state_saved_timestamp",
  clampedTicks: "generator_clamped_ticks_total",
  unbornVisits: "generator_unborn_visits_total",
  backfillProgress: "generator_backfill_progress_ratio",
  enabled: "generator_enabled",
  buildInfo: "generator_build_info",
} as const;
