import { JOB_NAMES, JOBS, type Job } from "../../dashboards/promql.ts";
import type { ScrapeJob } from "../shared/scrape.ts";

/** Returns the jobs that dashboards and rules use. */
export function knownJobs(scraped: readonly Pick<ScrapeJob, "job">[]): ReadonlySet<Job> {
  const names = new Set(scraped.map(({ job }) => job));
  return new Set(JOB_NAMES.filter((job) => names.has(JOBS[job])));
}

interface Scraped extends Omit<ScrapeJob, "login" | "use"> {
  readonly login?: { readonly user: string; readonly passwordFile: string };
}

const INTERVAL = "15s";
const EVALUATION = "10s";

/** @param outOfOrderMinutes longest delay of a sample, such as after a laptop's sleep */
export const prometheusSettings = (
  scraped: readonly Scraped[],
  rules: string,
  outOfOrderMinutes: number,
) => ({
  global: { scrape_interval: INTERVAL, evaluation_interval: EVALUATION },
  storage: { tsdb: { out_of_order_time_window: `${outOfOrderMinutes}m` } },
  rule_files: [rules],
  scrape_configs: scraped.map(({ job, target, settings, login }) => ({
    job_name: job,
    ...settings,
    ...(login ? { basic_auth: { username: login.user, password_file: login.passwordFile } } : {}),
    static_configs: [{ targets: [target] }],
  })),
});
