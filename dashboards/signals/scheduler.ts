import { growth, isAnotherProcess, metric, orZero } from "../promql.ts";
import { signals } from "../signal.ts";

const airflow = (name: string, matchers = ""): string =>
  metric("scheduler", `airflow_${name}`, matchers);
const NO_RUN = "no DAG has run since the exporter started";

/** Returns the growth of a counter that an exporter restart resets. */
const grown = (name: string, window: string): string =>
  growth({
    job: "scheduler",
    series: airflow(name),
    window,
    isReset: isAnotherProcess("scheduler", window),
  });

const ended = (state: "success" | "failed"): string =>
  `label_replace(sum by (dag_id) ${grown(`dagrun_duration_${state}_count`, "1h")} > 0, "state", "${state}", "", "")`;

export const scheduler = signals({
  heartbeats: {
    name: "Scheduler heartbeats in 2 minutes",
    meaning:
      "The scheduler sends a heartbeat every few seconds. Without heartbeats no task starts: make logs SERVICE=airflow.",
    expr: orZero(`min(increase(${airflow("scheduler_heartbeat")}[2m]))`),
    legend: "heartbeats",
  },
  queued: {
    name: "Queued tasks",
    meaning:
      "Tasks that wait for a free slot. A lasting backlog means too few slots, or tasks that never end.",
    expr: airflow("executor_queued_tasks"),
    legend: "queued",
  },
  running: {
    name: "Running tasks",
    meaning: "Tasks that are running.",
    expr: airflow("executor_running_tasks"),
    legend: "running",
  },
  openSlots: {
    name: "Open slots",
    meaning: "Tasks that the executor can still start. At zero, raise the parallelism or wait.",
    expr: airflow("executor_open_slots"),
    legend: "open",
  },
  failures: {
    name: "Failed tasks in 5 minutes",
    meaning: "Task instances that failed. Open the run in Airflow: its log ends with the hint.",
    expr: `sum by (job) ${grown("ti_failures", "5m")}`,
    legend: "failures",
    emptyWhen: "no task has failed since the exporter started",
  },
  successes: {
    name: "Succeeded tasks in 5 minutes",
    meaning: "Task instances that succeeded.",
    expr: `sum by (job) ${grown("ti_successes", "5m")}`,
    legend: "successes",
    emptyWhen: NO_RUN,
  },
  finished: {
    name: "Finished tasks by DAG and state, 1 hour",
    meaning:
      "Finished tasks by DAG and state. A failed task of etl_pipeline stops updates of the marts.",
    expr: `sum by (dag_id, state) ${grown("ti_finish", "1h")} > 0`,
    legend: "{{dag_id}} · {{state}}",
    emptyWhen: NO_RUN,
  },
  runs: {
    name: "DAG runs by state, 1 hour",
    meaning:
      "DAG runs that ended in the past hour, by state. A failed run of etl_pipeline stops updates of the marts.",
    expr: `${ended("success")} or ${ended("failed")}`,
    legend: "{{dag_id}} · {{state}}",
    emptyWhen: "no DAG run has ended in the past hour",
  },
  runTime: {
    name: "Duration of successful runs",
    meaning:
      "Mean time of the DAG runs that succeeded in the past day. It should grow only with the data.",
    unit: "s",
    expr: `sum by (dag_id) ${grown("dagrun_duration_success_sum", "1d")} / (sum by (dag_id) ${grown("dagrun_duration_success_count", "1d")} > 0)`,
    legend: "{{dag_id}}",
    emptyWhen: NO_RUN,
  },
  parseTime: {
    name: "Time to read all DAG files",
    meaning:
      "A long time means that a DAG file does work at import, which also delays the start of its tasks.",
    unit: "s",
    // Airflow sends seconds, where StatsD expects milliseconds. Its own total leaves out what it reads alone.
    expr: `1000 * sum by (job) (${airflow("dag_processing_last_duration", 'quantile="0.5"')})`,
    legend: "parse time",
  },
  importErrors: {
    name: "DAG files that cannot be read",
    meaning: "Their DAGs are missing. Airflow's web page shows the exception.",
    expr: airflow("dag_processing_import_errors"),
    legend: "import errors",
  },
  loopTime: {
    name: "Scheduler loop",
    meaning:
      "Time of one scheduling loop, 90th percentile. Several seconds mean a slow metadata database.",
    unit: "s",
    expr: airflow("scheduler_scheduler_loop_duration", 'quantile="0.9"'),
    legend: "p90",
  },
  starving: {
    name: "Starving tasks",
    meaning: "Tasks that cannot run because their pool is full.",
    expr: airflow("scheduler_tasks_starving"),
    legend: "starving",
  },
  pools: {
    name: "Open slots by pool",
    meaning: "Free slots of each pool.",
    expr: airflow("pool_open_slots"),
    legend: "{{pool_name}}",
  },
});
