import { stringify } from "yaml";
import { rulesFor } from "../../dashboards/alerts/rules.ts";
import { prometheusRules } from "../../dashboards/delivery/prometheus.ts";
import { JOBS, type Job } from "../../dashboards/promql.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import { isOffline } from "../shared/image-lock.ts";
import {
  commonSpec,
  hostUrl,
  imageOf,
  nobody,
  type Placement,
  plannedVolume,
  publish,
} from "../shared/placement.ts";
import { justSecret } from "../shared/secret-text.ts";
import {
  type Address,
  type ClientAccess,
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ScrapeJob,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import { type MetricsConfig, metricsConfig, metricsSeries } from "./config.ts";
import { knownJobs, prometheusConfig, type Scraped, scrapeJobs } from "./scrape.ts";

const ALIAS = "prometheus";
const PORT = 9090;
const CONFIG = "/etc/prometheus";

export interface MetricsPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly address: Address;
  readonly client: ClientAccess;
  readonly insideUrl: string;
  readonly dataVolume: string;
  /** Available jobs, which decide the dashboards and rules. */
  readonly jobs: ReadonlySet<Job>;
}

export function planMetrics(
  config: MetricsConfig,
  at: Placement,
  services: readonly (Scraped | null)[],
): MetricsPlan {
  const own = { job: JOBS.prometheus, target: `localhost:${PORT}` };
  const scraped = [...scrapeJobs(services), own];
  const jobs = knownJobs(scraped);
  const port = publish(at, "metrics.port", PORT, config.port, "/-/healthy");
  const series = plannedVolume(at, metricsSeries);
  const contents = configFiles(config, scraped, jobs);
  const files = configVolume("config", at.names.volume("prometheus-config"), CONFIG, contents);
  const image = imageOf(at, metricsConfig.images, "prometheus");
  const container: ContainerSpec = {
    ...commonSpec,
    role: "metrics",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image,
    command: [
      `--config.file=${CONFIG}/${SETTINGS}`,
      `--storage.tsdb.path=${series.path}`,
      `--storage.tsdb.retention.time=${config.retentionDays}d`,
      `--storage.tsdb.retention.size=${config.retentionMiB}MB`,
    ],
    user: nobody,
    ports: [port],
    health: wgetHealthCheck(PORT, "/-/healthy"),
    memoryMiB: config.memoryMiB,
    measuredMiB: 37,
    cpus: config.cpus,
    graceSeconds: 30,
  };
  const url = hostUrl(at, port);
  return {
    jobs,
    dataVolume: series.volume,
    // The offline image is compiled without the pages, which are no part of the Go module.
    address: {
      title: "Prometheus",
      url,
      isTool: true,
      ...(isOffline(image) ? { page: null } : {}),
    },
    client: { environment: { METRICS_URL: url, METRICS_CONTAINER: container.name }, secrets: {} },
    insideUrl: `http://${ALIAS}:${PORT}`,
    service: servicePlan({ container, volumes: [series], configs: [files] }),
  };
}

const SETTINGS = "prometheus.yml";
const RULES = "rules.yml";
const passwordFile = (job: string): string => `${job}-password`;

function configFiles(
  { outOfOrderMinutes, runbook }: MetricsConfig,
  scraped: readonly ScrapeJob[],
  jobs: ReadonlySet<Job>,
): ConfigFile[] {
  const paths = {
    rules: `${CONFIG}/${RULES}`,
    passwordOf: (job: string) => `${CONFIG}/${passwordFile(job)}`,
  };
  const settings = prometheusConfig(scraped, paths, outOfOrderMinutes);
  const passwords = scraped.flatMap(({ job, account }) =>
    account ? [{ path: passwordFile(job), content: justSecret(account.password) }] : [],
  );
  return [
    { path: SETTINGS, content: stringify(settings, { lineWidth: 0 }) },
    { path: RULES, content: prometheusRules(rulesFor(jobs), { runbook }) },
    ...passwords,
  ];
}
