import { JOB_NAMES, JOBS, type Job } from "../../dashboards/promql.ts";

/** Null if the service is not in this stack. */
export interface ScrapeTargets {
  readonly database: string | null;
  readonly pipeline: { readonly url: string; readonly user: string };
  readonly broker: string | null;
  readonly scheduler: string | null;
  readonly generator: string | null;
  readonly prometheus: string;
  readonly drill: string;
}

export const jobsOf = (targets: ScrapeTargets): ReadonlySet<Job> =>
  new Set(JOB_NAMES.filter((job) => targets[job] !== null));

export interface ScrapeFiles {
  readonly rules: string;
  readonly password: string;
}

const INTERVAL = "15s";
const EVALUATION = "10s";

export const prometheusConfig = (
  targets: ScrapeTargets,
  files: ScrapeFiles,
  outOfOrderMinutes: number,
) => ({
  global: { scrape_interval: INTERVAL, evaluation_interval: EVALUATION },
  // Accepts out-of-order samples after a clock jump, such as a laptop's sleep.
  storage: { tsdb: { out_of_order_time_window: `${outOfOrderMinutes}m` } },
  rule_files: [files.rules],
  scrape_configs: [
    ...plain(JOBS.database, targets.database),
    layers(targets.pipeline, files.password),
    ...plain(JOBS.broker, targets.broker),
    ...plain(JOBS.scheduler, targets.scheduler),
    ...plain(JOBS.generator, targets.generator),
    ...plain(JOBS.prometheus, targets.prometheus),
    {
      // A drill's samples have the label of the job that they imitate.
      job_name: "drill",
      honor_labels: true,
      scrape_interval: "5s",
      static_configs: [{ targets: [targets.drill] }],
    },
  ],
});

const plain = (name: string, target: string | null) =>
  target === null ? [] : [{ job_name: name, static_configs: [{ targets: [target] }] }];

/** Scraped less often, because it counts rows. */
function layers({ url, user }: ScrapeTargets["pipeline"], passwordFile: string) {
  const { protocol, host } = new URL(url);
  return {
    job_name: JOBS.pipeline,
    scrape_interval: "30s",
    scrape_timeout: "20s",
    scheme: protocol.replace(":", ""),
    metrics_path: "/",
    params: { query: ["SELECT * FROM dm.v_pipeline_metrics FORMAT Prometheus"] },
    basic_auth: { username: user, password_file: passwordFile },
    static_configs: [{ targets: [host] }],
  };
}
