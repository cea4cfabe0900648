import { type ContentOptions, grafanaContent } from "../../../dashboards/delivery/content.ts";
import { JOB_NAMES, type Job } from "../../../dashboards/promql.ts";

export const everyJob: ReadonlySet<Job> = new Set(JOB_NAMES);

/** Grafana's content in a stack with all services. */
export const content = (options: Partial<ContentOptions> = {}) =>
  grafanaContent({
    jobs: everyJob,
    tools: [{ title: "ClickHouse", url: "http://localhost:9123/play" }],
    runbook: undefined,
    ...options,
  });
