import type { Dashboard } from "../dashboard.ts";
import { isAnswered, type Job } from "../promql.ts";
import type { Signal } from "../signal.ts";
import { brokerDashboard } from "./broker.ts";
import { collectorDashboard } from "./collector.ts";
import { databaseDashboard } from "./database.ts";
import { generatorDashboard } from "./generator.ts";
import { pipelineDashboard } from "./pipeline.ts";
import { schedulerDashboard } from "./scheduler.ts";

const DASHBOARDS = [
  pipelineDashboard,
  databaseDashboard,
  brokerDashboard,
  schedulerDashboard,
  generatorDashboard,
  collectorDashboard,
];

/** Returns the dashboards, the home dashboard first. */
export const dashboardsFor = (jobs: ReadonlySet<Job>): Dashboard[] =>
  DASHBOARDS.filter(({ job }) => jobs.has(job)).map((dashboard) => withoutAbsent(dashboard, jobs));

/** Leaves out signals of absent jobs, then empty panels and rows. */
function withoutAbsent(dashboard: Dashboard, jobs: ReadonlySet<Job>): Dashboard {
  const isThere = ({ expr }: Signal): boolean => isAnswered(expr, jobs);
  const rows = dashboard.rows.map(({ title, panels }) => ({
    title,
    panels: panels
      .map((panel) => ({ ...panel, signals: panel.signals.filter(isThere) }))
      .filter(({ signals }) => signals.length > 0),
  }));
  return { ...dashboard, rows: rows.filter(({ panels }) => panels.length > 0) };
}
