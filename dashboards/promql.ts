/** Scrape jobs: what Prometheus calls the parts of the stack. */
export const JOBS = {
  database: "database",
  pipeline: "pipeline",
  broker: "broker",
  scheduler: "scheduler",
  generator: "generator",
  prometheus: "prometheus",
} as const;

/** Matches the series of every job of the stack, and no stranger's. */
export const EVERY_JOB = `job=~"${Object.values(JOBS).join("|")}"`;

export type Job = keyof typeof JOBS;

export const JOB_NAMES = Object.keys(JOBS) as Job[];

/** The window of every rate, as the specification's alert rules have it. */
export const WINDOW = "5m";

/** The only way a metric is named: every query selects by job, so no stranger's series counts. */
export const metric = (job: Job, name: string, matchers = ""): string =>
  `${name}{job="${JOBS[job]}"${matchers && `,${matchers}`}}`;

/** Per second, over the common window. */
export const rate = (series: string): string => `rate(${series}[${WINDOW}])`;

/** What a service that is gone last said of itself: a week, in which somebody looks. */
export const lastKnown = (series: string): string => `last_over_time(${series}[7d])`;

/** Says 0 where there is nothing to count: what is gone is red, not grey. */
export const orZero = (expr: string): string => `${expr} or vector(0)`;

/** The jobs that an expression asks. */
const jobsIn = (expr: string): Job[] =>
  JOB_NAMES.filter((job) => expr.includes(`job="${JOBS[job]}"`));

/** Whether an expression can give data: what asks a job without a target would stay empty. */
export const isAnswered = (expr: string, jobs: ReadonlySet<Job>): boolean =>
  jobsIn(expr).every((job) => jobs.has(job));

interface Grown {
  readonly job: Job;
  readonly series: string;
  readonly window: string;
  /** Holds, by job, where the counting began anew within the window. */
  readonly anew: string;
}

/**
 * By how much counters have grown over a window, to the unit. One that began anew, or is there for
 * the first time while its target was watched, has grown by its value, which `increase` does not
 * count, nor `rate` where it comes back no smaller than it was; one that was not watched for a
 * while has grown since it was last seen.
 */
export const growth = ({ job, series, window, anew }: Grown): string => {
  const before = `${series} offset ${window}`;
  const lastSeen = `last_over_time(${series}[1d] offset ${window})`;
  const watched = `max by (job) (${metric(job, "up")} offset ${window}) == 1`;
  const base = `(${before} or (${lastSeen} unless on (job) (${watched})))`;
  // Without the metric's name, which the difference has lost: one course, not two.
  const value = `${series} + 0`;
  return `(${value} and on (job) (${anew}) or ${series} - ${base} >= 0 or ${value})`;
};

/** Another process answers than the one that was last seen before the window. */
export const isAnotherProcess = (job: Job, window: string): string => {
  const start = metric(job, "process_start_time_seconds");
  return `max by (job) (${start}) != max by (job) (last_over_time(${start}[1d] offset ${window}))`;
};
