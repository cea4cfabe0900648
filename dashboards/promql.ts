export const JOBS = {
  database: "database",
  pipeline: "pipeline",
  broker: "broker",
  scheduler: "scheduler",
  generator: "generator",
  collector: "collector",
  ingest: "ingest",
  prometheus: "prometheus",
} as const;

export const EVERY_JOB = `job=~"${Object.values(JOBS).join("|")}"`;

export type Job = keyof typeof JOBS;

export const JOB_NAMES = Object.keys(JOBS) as Job[];

/** Window of every rate, in panels and alert rules alike. */
export const WINDOW = "5m";

/** Returns a selector; the job excludes other Prometheus targets. */
export const metric = (job: Job, name: string, matchers = ""): string =>
  `${name}{job="${JOBS[job]}"${matchers && `,${matchers}`}}`;

export const rate = (series: string): string => `rate(${series}[${WINDOW}])`;

/** Returns the last value within a week, also of a service that no longer answers. */
export const lastKnown = (series: string): string => `last_over_time(${series}[7d])`;

/** Returns 0 if there is no data, so that the panel is red, not grey. */
export const orZero = (expr: string): string => `${expr} or vector(0)`;

export const jobsIn = (expr: string): Job[] =>
  JOB_NAMES.filter((job) => expr.includes(`job="${JOBS[job]}"`));

export const isAnswered = (expr: string, jobs: ReadonlySet<Job>): boolean =>
  jobsIn(expr).every((job) => jobs.has(job));

interface Grown {
  readonly job: Job;
  readonly series: string;
  readonly window: string;
  /** PromQL that is true, by job, if the counter was reset within the window. */
  readonly isReset: string;
}

/** Returns the growth; unlike `increase`, with the whole value after a reset and over a gap. */
export const growth = ({ job, series, window, isReset }: Grown): string => {
  const before = `${series} offset ${window}`;
  const lastSeen = `last_over_time(${series}[1d] offset ${window})`;
  const watched = `max by (job) (${metric(job, "up")} offset ${window}) == 1`;
  const base = `(${before} or (${lastSeen} unless on (job) (${watched})))`;
  // Adding 0 drops the metric name, as in the difference, so that both are one series.
  const value = `${series} + 0`;
  return `(${value} and on (job) (${isReset}) or ${series} - ${base} >= 0 or ${value})`;
};

export const isAnotherProcess = (job: Job, window: string): string => {
  const start = metric(job, "process_start_time_seconds");
  return `max by (job) (${start}) != max by (job) (last_over_time(${start}[1d] offset ${window}))`;
};
