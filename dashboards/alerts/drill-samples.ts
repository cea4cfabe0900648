import { JOBS, type Job } from "../promql.ts";
import type { Drill, FedSample } from "./rule.ts";

type Labels = Readonly<Record<string, string>>;

/** Returns a series that the label `instance="drill"` distinguishes from real ones. */
export const sample = (
  job: Job,
  metric: string,
  value: FedSample["value"],
  labels: Labels = {},
  perSecond = 0,
): FedSample => ({
  metric,
  labels: { job: JOBS[job], instance: "drill", ...labels },
  value,
  ...(perSecond === 0 ? {} : { perSecond }),
});

export const feed = (job: Job, ...samples: readonly FedSample[]): Drill => ({
  kind: "feed",
  job,
  samples,
});
