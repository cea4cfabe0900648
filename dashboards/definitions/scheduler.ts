import { type Dashboard, lines, stat } from "../dashboard.ts";
import { scheduler } from "../signals/scheduler.ts";
import { DASHBOARD_UIDS } from "../uids.ts";

export const schedulerDashboard: Dashboard = {
  uid: DASHBOARD_UIDS.scheduler,
  title: "Airflow",
  about: "The scheduler, its slots and task outcomes.",
  job: "scheduler",
  rows: [
    {
      title: "At a glance",
      panels: [
        stat(scheduler.heartbeats, { title: "Heartbeats, 2 min" }),
        stat(scheduler.queued),
        stat(scheduler.running),
        stat(scheduler.failures, { title: "Failed tasks, 5 min" }),
        stat(scheduler.parseTime, { title: "Parse time" }),
        stat(scheduler.importErrors, { title: "Import errors" }),
      ],
    },
    {
      title: "Tasks",
      panels: [
        lines("Executor", [scheduler.queued, scheduler.running, scheduler.openSlots]),
        lines("Tasks in 5 minutes", [scheduler.successes, scheduler.failures]),
        lines("DAG runs, 1 hour", [scheduler.runs]),
        lines("Duration of successful runs", [scheduler.runTime]),
        lines("Finished tasks, 1 hour", [scheduler.finished]),
        lines("Pools", [scheduler.pools, scheduler.starving]),
        lines("Scheduler loop and parse time", [scheduler.loopTime, scheduler.parseTime]),
      ],
    },
  ],
};
