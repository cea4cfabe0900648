/** A mapping rule; the first match applies. */
interface Mapping {
  readonly match: string;
  readonly match_type?: "regex";
  readonly name?: string;
  readonly action?: "drop";
  readonly labels?: Readonly<Record<string, string>>;
}

const regex = (match: string, name: string, ...labels: readonly string[]): Mapping => ({
  match: `^airflow\\.${match}$`,
  match_type: "regex",
  name,
  labels: Object.fromEntries(labels.map((label, index) => [label, `$${index + 1}`])),
});

/** Pattern of a DAG id, which has no dot; a task id has one per task group. */
const DAG = "([^.]+)";
const TASK = "(.+)";
const REST = "(.+)";

/** Metrics that Airflow also sends without ids in the name, which mix all DAGs. */
const TWINS = [
  "dag_processing.last_duration",
  "dag_processing.last_num_of_db_queries",
  "dag_processing.last_run.seconds_ago",
  "dag_processing.processor_timeouts_by_file",
  "dagrun.dependency-check",
  "dagrun.duration.failed",
  "dagrun.duration.success",
  "dagrun.first_task_scheduling_delay",
  "dagrun.schedule_delay",
  "local_task_job.task_exit",
  "operator_failures",
  "operator_successes",
  "pool.deferred_slots",
  "pool.open_slots",
  "pool.queued_slots",
  "pool.running_slots",
  "pool.scheduled_slots",
  "pool.starving_tasks",
  "task.cpu_usage",
  "task.duration",
  "task.mem_usage",
  "task.queued_duration",
  "task.scheduled_duration",
  "task_instance_created",
  "task_removed_from_dag",
  "task_restored_to_dag",
  "ti.finish",
  "ti.start",
] as const;

const NAMED: readonly Mapping[] = [
  regex(`dag\\.${DAG}\\.${TASK}\\.duration`, "airflow_dag_task_duration", "dag_id", "task_id"),
  regex(
    `dag\\.${DAG}\\.${TASK}\\.queued_duration`,
    "airflow_dag_task_queued_duration",
    "dag_id",
    "task_id",
  ),
  regex(
    `dag\\.${DAG}\\.${TASK}\\.scheduled_duration`,
    "airflow_dag_task_scheduled_duration",
    "dag_id",
    "task_id",
  ),
  ...(["success", "failed"] as const).map((state) =>
    regex(`dagrun\\.duration\\.${state}\\.${REST}`, `airflow_dagrun_duration_${state}`, "dag_id"),
  ),
  regex(`dagrun\\.schedule_delay\\.${REST}`, "airflow_dagrun_schedule_delay", "dag_id"),
  regex(`dagrun\\.dependency-check\\.${REST}`, "airflow_dagrun_dependency_check", "dag_id"),
  regex(
    `dagrun\\.${DAG}\\.first_task_scheduling_delay`,
    "airflow_dagrun_first_task_scheduling_delay",
    "dag_id",
  ),
  regex(`ti\\.start\\.${DAG}\\.${TASK}`, "airflow_task_start_total", "dag_id", "task_id"),
  regex(
    `ti\\.finish\\.${DAG}\\.${TASK}\\.([^.]+)`,
    "airflow_task_finish_total",
    "dag_id",
    "task_id",
    "state",
  ),
  ...(["open", "queued", "running", "deferred", "scheduled"] as const).map((kind) =>
    regex(`pool\\.${kind}_slots\\.${REST}`, `airflow_pool_${kind}_slots`, "pool_name"),
  ),
  regex(`pool\\.starving_tasks\\.${REST}`, "airflow_pool_starving_tasks", "pool_name"),
  regex(
    `dag_processing\\.last_run\\.seconds_ago\\.${REST}`,
    "airflow_dag_processing_last_run_seconds_ago",
    "dag_file",
  ),
  regex(
    `dag_processing\\.last_duration\\.${REST}`,
    "airflow_dag_processing_last_duration",
    "dag_file",
  ),
  regex(
    `dag_processing\\.last_num_of_db_queries\\.${REST}`,
    "airflow_dag_processing_last_num_of_db_queries",
    "dag_file",
  ),
  regex(`operator_failures_${REST}`, "airflow_operator_failures_total", "operator"),
  regex(`operator_successes_${REST}`, "airflow_operator_successes_total", "operator"),
  regex(`task_instance_created_${REST}`, "airflow_task_instance_created_total", "operator"),
  regex(
    `local_task_job\\.task_exit\\.([^.]+)\\.${DAG}\\.${TASK}\\.([^.]+)`,
    "airflow_local_task_exit_total",
    "job_id",
    "dag_id",
    "task_id",
    "return_code",
  ),
  regex(
    `task\\.(cpu|mem)_usage\\.${DAG}\\.${TASK}`,
    "airflow_task_usage",
    "kind",
    "dag_id",
    "task_id",
  ),
];

/** Mapping for Airflow 2.10.5, with the names of Grafana's Airflow mixin. */
export const statsdMapping = {
  defaults: {
    observer_type: "summary",
    summary_options: {
      quantiles: [0.5, 0.9, 0.99].map((quantile) => ({ quantile, error: 0.01 })),
    },
  },
  mappings: [
    ...TWINS.map(
      (twin): Mapping => ({ match: `airflow.${twin}`, name: "dropped", action: "drop" }),
    ),
    ...NAMED,
  ],
} as const;
