import { scheduler } from "../signals/scheduler.ts";
import { thresholds } from "../thresholds.ts";
import { rulesOf } from "./rule.ts";

export const schedulerRules = rulesOf("scheduler", [
  {
    name: "SchedulerDown",
    severity: "critical",
    signal: scheduler.heartbeats,
    fires: { when: "below", threshold: thresholds.schedulerHeartbeats },
    for: "2m",
    noData: "alert",
    summary: (value) => `${value} heartbeats of the scheduler in two minutes`,
    hint: "`make logs SERVICE=airflow` shows the reason; `make up` starts stopped services.",
    drill: { kind: "stop", service: "scheduler" },
  },
  {
    name: "SchedulerQueueBacklog",
    severity: "warning",
    signal: scheduler.queued,
    fires: { when: "above", threshold: thresholds.queuedTasks },
    for: "5m",
    summary: (value) => `${value} tasks wait for a slot`,
    about: "Tasks never end, or there are too few slots: see *Executor*.",
    hint: "`make dags` lists the DAGs; end hanging runs on Airflow's web page (`make urls`).",
  },
  {
    name: "SchedulerTaskFailures",
    severity: "warning",
    signal: scheduler.failures,
    fires: { when: "above", threshold: thresholds.any },
    for: "0s",
    summary: (value) => `${value} tasks failed in five minutes`,
    about:
      "Counts the last 5 minutes, or the time since the last scrape. After a restart of the exporter, the rule includes the exporter's whole count.",
    hint: "Open the run on Airflow's web page (`make urls`): its log ends with the hint.",
  },
  {
    name: "SchedulerParseTimeHigh",
    severity: "warning",
    signal: scheduler.parseTime,
    fires: { when: "above", threshold: thresholds.parseSeconds },
    for: "10m",
    summary: (value) => `Reading the DAG files takes ${value} s`,
    about: "A DAG file does work at import, or the machine is overloaded.",
    hint: "`make doctor` checks the machine; if it passes, the last changed file in `airflow/dags` does work outside of its tasks.",
  },
  {
    name: "SchedulerImportErrors",
    severity: "warning",
    signal: scheduler.importErrors,
    fires: { when: "above", threshold: thresholds.any },
    for: "2m",
    summary: (value) => `${value} DAG files cannot be read`,
    about: "The file's DAGs are missing until you correct the file.",
    hint: "Airflow's web page (`make urls`) shows the exception; correct the file in `airflow/dags`, then `make up`.",
  },
]);
