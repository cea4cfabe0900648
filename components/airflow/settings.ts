export const airflowSettings = {
  AIRFLOW__CORE__EXECUTOR: "LocalExecutor",
  // Limits parallel tasks over all DAGs; one load runs at a time, other tasks wait.
  AIRFLOW__CORE__PARALLELISM: "4",
  AIRFLOW__CORE__LOAD_EXAMPLES: "False",
  AIRFLOW__CORE__DEFAULT_TIMEZONE: "utc",
  AIRFLOW__CORE__TEST_CONNECTION: "Disabled",
  AIRFLOW__API__AUTH_BACKENDS:
    "airflow.providers.fab.auth_manager.api.auth.backend.basic_auth,airflow.api.auth.backend.session",
  AIRFLOW__SCHEDULER__ENABLE_HEALTH_CHECK: "True",
  // The DAGs are in the image, so they change only with the image.
  AIRFLOW__SCHEDULER__MIN_FILE_PROCESS_INTERVAL: "60",
  AIRFLOW__SCHEDULER__DAG_DIR_LIST_INTERVAL: "300",
  AIRFLOW__SCHEDULER__PARSING_PROCESSES: "1",
  AIRFLOW__WEBSERVER__WORKERS: "2",
  AIRFLOW__WEBSERVER__WARN_DEPLOYMENT_EXPOSURE: "False",
  AIRFLOW__WEBSERVER__EXPOSE_CONFIG: "False",
  AIRFLOW__WEBSERVER__NAVBAR_COLOR: "#dcebf7",
  AIRFLOW__USAGE_DATA_COLLECTION__ENABLED: "False",
} as const;
