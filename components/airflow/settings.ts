export const airflowSettings = {
  AIRFLOW__CORE__EXECUTOR: "LocalExecutor",
  // Limits parallel tasks over all DAGs; one load runs at a time, other tasks wait.
  AIRFLOW__CORE__PARALLELISM: "4",
  AIRFLOW__CORE__LOAD_EXAMPLES: "False",
  AIRFLOW__CORE__DEFAULT_TIMEZONE: "utc",
  AIRFLOW__CORE__TEST_CONNECTION: "Disabled",
  AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS: "admin:admin",
  AIRFLOW__SCHEDULER__ENABLE_HEALTH_CHECK: "True",
  // Seconds until Airflow notices that a task's process has ended; the default, 5, doubles a load.
  AIRFLOW__WORKERS__MIN_HEARTBEAT_INTERVAL: "1",
  // The DAGs are in the image, so they change only with the image.
  AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL: "60",
  AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES: "1",
  AIRFLOW__USAGE_DATA_COLLECTION__ENABLED: "False",
} as const;
