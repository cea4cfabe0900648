import { stringify } from "yaml";
import { rulesFor } from "../../dashboards/alerts/rules.ts";
import { prometheusRules } from "../../dashboards/delivery/prometheus.ts";
import type { Job } from "../../dashboards/promql.ts";
import {
  commonSpec,
  hostUrl,
  imageOf,
  nobody,
  type PlanContext,
  publish,
} from "../shared/context.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import { justSecret } from "../shared/secret-text.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ServicePlan,
  type ServiceSpec,
} from "../shared/spec.ts";
import { type AlertLogPlan, planAlertLog } from "./alert-log.ts";
import { metricsConfig } from "./config.ts";
import { jobsOf, prometheusConfig, type ScrapeTargets } from "./scrape.ts";

const ALIAS = "prometheus";
const PORT = 9090;
const CONFIG = "/etc/prometheus";
const DATA = "/prometheus";

export interface MetricsPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly alertLog: AlertLogPlan;
  readonly url: string;
  readonly insideUrl: string;
  readonly dataVolume: string;
  /** Jobs that are scraped, which decide the dashboards and rules. */
  readonly jobs: ReadonlySet<Job>;
}

type OtherTargets = Omit<ScrapeTargets, "prometheus" | "drill">;

/** Null if disabled. */
export function planMetrics(context: PlanContext, others: OtherTargets): MetricsPlan | null {
  const { metrics } = context.config;
  if (!metrics.enabled) return null;
  const alertLog = planAlertLog(context);
  const targets = { ...others, prometheus: `localhost:${PORT}`, drill: alertLog.target };
  const jobs = jobsOf(targets);
  const port = publish(context, "metrics.port", PORT, metrics.port);
  const data = context.names.volume("prometheus-data");
  const files = configFiles(context, targets, jobs);
  const config = configVolume("config", context.names.volume("prometheus-config"), files);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "metrics",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(context, metricsConfig.images, "prometheus"),
    command: [
      `--config.file=${CONFIG}/${SETTINGS}`,
      `--storage.tsdb.path=${DATA}`,
      `--storage.tsdb.retention.time=${metrics.retentionDays}d`,
      `--storage.tsdb.retention.size=${metrics.retentionMiB}MB`,
    ],
    user: nobody,
    ports: [port],
    mounts: [
      { volume: data, path: DATA, readOnly: false },
      { volume: config.volume, path: CONFIG, readOnly: true },
    ],
    health: wgetHealthCheck(PORT, "/-/healthy"),
    memoryMiB: metrics.memoryMiB,
    measuredMiB: 37,
    cpus: metrics.cpus,
    graceSeconds: 30,
  };
  return {
    alertLog,
    companions: [alertLog.service],
    jobs,
    dataVolume: data,
    url: hostUrl(context, port),
    address: { title: "Prometheus", url: hostUrl(context, port), isTool: true },
    insideUrl: `http://${ALIAS}:${PORT}`,
    service: {
      container,
      configs: [config],
      dataVolumes: [{ role: "series", volume: data }],
    },
  };
}

const SETTINGS = "prometheus.yml";
const RULES = "rules.yml";
const PASSWORD = "database-password";

function configFiles(
  context: PlanContext,
  targets: ScrapeTargets,
  jobs: ReadonlySet<Job>,
): ConfigFile[] {
  const settings = prometheusConfig(
    targets,
    { rules: `${CONFIG}/${RULES}`, password: `${CONFIG}/${PASSWORD}` },
    context.config.metrics.outOfOrderMinutes,
  );
  const { runbook } = context.config.dashboards;
  return [
    { path: SETTINGS, content: stringify(settings, { lineWidth: 0 }) },
    { path: RULES, content: prometheusRules(rulesFor(jobs), { runbook }) },
    { path: PASSWORD, content: justSecret("monitorPassword") },
  ];
}
