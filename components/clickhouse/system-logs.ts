/** Marker that removes a default setting of the server. */
export const REMOVED = { "@remove": "1" } as const;

const keptDays = (days: number) => ({ ttl: `event_date + INTERVAL ${days} DAY DELETE` });

/** Retention of system logs, unlimited by default. Logs that a release lacks are no error. */
export const SYSTEM_LOGS: Readonly<Record<string, object>> = {
  query_log: keptDays(3),
  part_log: keptDays(3),
  error_log: keptDays(7),
  crash_log: keptDays(30),
  aggregated_zookeeper_log: REMOVED,
  asynchronous_insert_log: REMOVED,
  asynchronous_metric_log: REMOVED,
  background_schedule_pool_log: REMOVED,
  backup_log: REMOVED,
  blob_storage_log: REMOVED,
  delta_lake_metadata_log: REMOVED,
  iceberg_metadata_log: REMOVED,
  instrumentation_trace_log: REMOVED,
  latency_log: REMOVED,
  metric_log: REMOVED,
  opentelemetry_span_log: REMOVED,
  processors_profile_log: REMOVED,
  query_metric_log: REMOVED,
  query_plan_log: REMOVED,
  query_thread_log: REMOVED,
  query_views_log: REMOVED,
  s3queue_log: REMOVED,
  session_log: REMOVED,
  text_log: REMOVED,
  trace_log: REMOVED,
  zookeeper_connection_log: REMOVED,
};
