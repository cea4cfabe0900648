import { type ContentOptions, grafanaContent } from "../../../dashboards/delivery/content.ts";
import { contactPointFile, contentFiles } from "../../../dashboards/delivery/files.ts";
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

/** The content as files. */
export const provisioningFiles = (options: Partial<ContentOptions> = {}) => {
  const contactPoint = { name: "Stack log", url: "http://alert-log:8090/alerts" };
  return [...contentFiles(content(options), contactPoint.name), contactPointFile(contactPoint)];
};
