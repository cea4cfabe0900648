/** Fixed uids, to which links, bookmarks and rules refer. */
export const DATASOURCE_UID = "eps-prometheus";
export const FOLDER_UID = "event-pipeline";
export const FOLDER_TITLE = "Event pipeline";

export const DASHBOARD_UIDS = {
  pipeline: "pipeline-overview",
  database: "clickhouse-overview",
  broker: "kafka-overview",
  scheduler: "airflow-overview",
  generator: "generator-overview",
  collector: "collector-overview",
} as const;

/** Document with the hints of the alerts, as a path inside the project. */
export const RUNBOOK = "docs/reference/metrics-and-alerts.md";
