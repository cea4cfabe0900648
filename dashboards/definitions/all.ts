import type { Page } from "../dashboard.ts";
import { isAnswered, type Job } from "../promql.ts";
import type { Signal } from "../signal.ts";
import { brokerPage } from "./broker.ts";
import { databasePage } from "./database.ts";
import { generatorPage } from "./generator.ts";
import { pipelinePage } from "./pipeline.ts";
import { schedulerPage } from "./scheduler.ts";

const PAGES = [pipelinePage, databasePage, brokerPage, schedulerPage, generatorPage];

/** Dashboards of the jobs that have targets; the home dashboard is first. */
export const pagesFor = (jobs: ReadonlySet<Job>): Page[] =>
  PAGES.filter(({ job }) => jobs.has(job)).map((page) => withoutAbsent(page, jobs));

/** Leaves out signals of absent jobs, and panels and rows that have none left. */
function withoutAbsent(page: Page, jobs: ReadonlySet<Job>): Page {
  const isThere = ({ expr }: Signal): boolean => isAnswered(expr, jobs);
  const rows = page.rows.map(({ title, panels }) => ({
    title,
    panels: panels
      .map((panel) => ({ ...panel, signals: panel.signals.filter(isThere) }))
      .filter(({ signals }) => signals.length > 0),
  }));
  return { ...page, rows: rows.filter(({ panels }) => panels.length > 0) };
}
