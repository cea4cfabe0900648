import { JOB_NAMES, JOBS, type Job } from "../../dashboards/promql.ts";
import type { ScrapeJob } from "../shared/spec.ts";

/** Plan of a service with scrape jobs. */
export interface Scraped {
  readonly scrape?: readonly ScrapeJob[] | undefined;
}

export const scrapeJobs = (services: readonly (Scraped | null)[]): ScrapeJob[] =>
  services.flatMap((service) => service?.scrape ?? []);

/** Returns the jobs that dashboards and rules use. */
export function knownJobs(scraped: readonly ScrapeJob[]): ReadonlySet<Job> {
  const names = new Set(scraped.map(({ job }) => job));
  return new Set(JOB_NAMES.filter((job) => names.has(JOBS[job])));
}

export interface ScrapeFiles {
  readonly rules: string;
  passwordOf(job: string): string;
}

const INTERVAL = "15s";
const EVALUATION = "10s";

export const prometheusConfig = (
  scraped: readonly ScrapeJob[],
  { rules, passwordOf }: ScrapeFiles,
  outOfOrderMinutes: number,
) => ({
  global: { scrape_interval: INTERVAL, evaluation_interval: EVALUATION },
  // Accepts out-of-order samples after a clock jump, such as a laptop's sleep.
  storage: { tsdb: { out_of_order_time_window: `${outOfOrderMinutes}m` } },
  rule_files: [rules],
  scrape_configs: scraped.map(({ job, target, settings, account }) => ({
    job_name: job,
    ...settings,
    ...(account ? { basic_auth: { username: account.user, password_file: passwordOf(job) } } : {}),
    static_configs: [{ targets: [target] }],
  })),
});
