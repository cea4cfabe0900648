import { growth, isAnotherProcess, metric, orZero } from "../promql.ts";
import { signals } from "../signal.ts";

const airflow = (name: string, matchers = ""): string =>
  metric("scheduler", `airflow_${name}`, matchers);
const NO_RUN = "no DAG has run since the exporter started";

/** Of counters of the exporter, which begin anew with its process. */
const grown = (name: string, window: string): string =>
  growth({
    job: "scheduler",
    series: airflow(name),
    window,
    anew: isAnotherProcess("scheduler", window),
  });

/** Runs with one end; the timers of their duration count them. */
const ended = (state: "success" | "failed"): string =>
  `label_replace(sum by (dag_id) ${grown(`dagrun_duration_${state}_count`, "1h")} > 0, "state", "${state}", "", "")`;

/** Names as the exporter's mapping makes them of Airflow 2.10.5's own (dashboards/delivery/statsd-mapping.ts). */
export const scheduler = signals({
  heartbeats: {
    name: "Scheduler heartbeats in 2 minutes",
    meaning:
      "The scheduler tells every few seconds that it lives. None: no task starts; make logs SERVICE=scheduler.",
    unit: "short",
    type: "rate",
    expr: orZero(`min(increase(${airflow("scheduler_heartbeat")}[2m]))`),
    legend: "heartbeats",
  },
  queued: {
    name: "Queued tasks",
    meaning:
      "Tasks that wait for a free slot. A backlog that stays: too few slots, or tasks that never end.",
    unit: "short",
    type: "level",
    expr: airflow("executor_queued_tasks"),
    legend: "queued",
  },
  running: {
    name: "Running tasks",
    meaning: "Tasks at work.",
    unit: "short",
    type: "level",
    expr: airflow("executor_running_tasks"),
    legend: "running",
  },
  openSlots: {
    name: "Open slots",
    meaning: "Tasks the executor could still start. Zero: raise its parallelism or wait.",
    unit: "short",
    type: "level",
    expr: airflow("executor_open_slots"),
    legend: "open",
  },
  failures: {
    name: "Failed tasks in 5 minutes",
    meaning:
      "Task instances that failed. Open the run in the scheduler; its log ends with the fix.",
    unit: "short",
    type: "rate",
    expr: grown("ti_failures", "5m"),
    legend: "failures",
    emptyWhen: "no task has failed since the exporter started",
  },
  successes: {
    name: "Succeeded tasks in 5 minutes",
    meaning: "Task instances that succeeded.",
    unit: "short",
    type: "rate",
    expr: grown("ti_successes", "5m"),
    legend: "successes",
    emptyWhen: NO_RUN,
  },
  finished: {
    name: "Finished tasks by DAG and state, 1 hour",
    meaning: "Which DAG's tasks ended how. Failed ones of etl_pipeline stop the marts.",
    unit: "short",
    type: "rate",
    expr: `sum by (dag_id, state) ${grown("task_finish_total", "1h")} > 0`,
    legend: "{{dag_id}} · {{state}}",
    emptyWhen: NO_RUN,
  },
  runs: {
    name: "DAG runs by state, 1 hour",
    meaning:
      "Which DAG's runs ended how in the past hour. Failed ones of etl_pipeline stop the marts.",
    unit: "short",
    type: "rate",
    expr: `${ended("success")} or ${ended("failed")}`,
    legend: "{{dag_id}} · {{state}}",
    emptyWhen: "no DAG run has ended in the past hour",
  },
  runTime: {
    name: "Duration of successful runs",
    meaning:
      "Mean time of the DAG runs that succeeded in the past day. Growing with the data, not by itself.",
    unit: "s",
    type: "level",
    expr: `${grown("dagrun_duration_success_sum", "1d")} / (${grown("dagrun_duration_success_count", "1d")} > 0)`,
    legend: "{{dag_id}}",
    emptyWhen: NO_RUN,
  },
  parseTime: {
    name: "Time to read all DAG files",
    meaning:
      "Long: a DAG file does work while it is read. Such files delay every scheduling decision.",
    unit: "s",
    type: "level",
    expr: airflow("dag_processing_total_parse_time"),
    legend: "parse time",
  },
  importErrors: {
    name: "DAG files that cannot be read",
    meaning: "Their DAGs are missing. The scheduler's page shows the exception.",
    unit: "short",
    type: "level",
    expr: airflow("dag_processing_import_errors"),
    legend: "import errors",
  },
  loopTime: {
    name: "Scheduler loop",
    meaning:
      "Time of one round of decisions, 90th percentile. Seconds mean a slow metadata database.",
    unit: "s",
    type: "level",
    expr: airflow("scheduler_scheduler_loop_duration", 'quantile="0.9"'),
    legend: "p90",
  },
  starving: {
    name: "Starving tasks",
    meaning: "Tasks that could run but for a full pool.",
    unit: "short",
    type: "level",
    expr: airflow("scheduler_tasks_starving"),
    legend: "starving",
  },
  pools: {
    name: "Open slots by pool",
    meaning: "What each pool could still take.",
    unit: "short",
    type: "level",
    expr: airflow("pool_open_slots"),
    legend: "{{pool_name}}",
  },
});
