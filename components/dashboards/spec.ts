import { type GrafanaContent, grafanaContent } from "../../dashboards/delivery/content.ts";
import type { Tool } from "../../dashboards/delivery/grafana-dashboard.ts";
import { PROVISIONING, provisioningFiles } from "../../dashboards/delivery/provisioning.ts";
import type { AlertLogPlan } from "../alert-log/spec.ts";
import type { MetricsPlan } from "../metrics/spec.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import {
  commonSpec,
  hostUrl,
  imageOf,
  type Placement,
  plannedVolume,
  publish,
} from "../shared/placement.ts";
import { SECRETS, secretFiles } from "../shared/secret-files.ts";
import { justSecret, type Text } from "../shared/secret-text.ts";
import {
  type Address,
  type ClientAccess,
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type PlannedVolume,
  type PublishedPort,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import { type DashboardsConfig, dashboardsConfig, dashboardsLibrary } from "./config.ts";

const ALIAS = "grafana";
const PORT = 3000;
export const PROVISIONING_ROLE = "provisioning";
const PASSWORD = "admin-password";
export const GRAFANA_ADMIN = "admin";

/** Shell text that sets the password; it retries, because Grafana locks its database for writes. */
const RESET_PASSWORD = [
  "for try in 1 2 3 4 5; do",
  `grafana cli admin reset-admin-password --password-from-stdin <${SECRETS}/${PASSWORD} && exit 0;`,
  "sleep 2; done; exit 1",
].join(" ");

export interface DashboardsPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly address: Address;
  readonly client: ClientAccess;
  readonly dataVolume: string;
  /** Arguments after `docker exec`. */
  readonly setPassword: readonly string[];
  readonly content: GrafanaContent;
  readonly contactPoint: ContactPointPlan;
}

interface ContactPointPlan {
  readonly name: string;
  readonly url: Text;
}

export interface DashboardSources {
  readonly metrics: Pick<MetricsPlan, "jobs" | "insideUrl">;
  readonly alertLog: Pick<AlertLogPlan, "url">;
  /** Addresses by service; the home dashboard links those with `isTool`. */
  readonly tools: Readonly<Record<string, Address>>;
}

const linkOf = ({ isTool, title, url, page = "" }: Address): Tool[] =>
  isTool && page !== null ? [{ title, url: `${url}${page}` }] : [];

export function planDashboards(
  config: DashboardsConfig,
  at: Placement,
  { metrics, alertLog, tools }: DashboardSources,
): DashboardsPlan {
  const port = publish(at, "dashboards.port", PORT, config.port, "/api/health");
  const url = hostUrl(at, port);
  const content = grafanaContent({
    jobs: metrics.jobs,
    tools: Object.values(tools).flatMap(linkOf),
    runbook: config.runbook,
  });
  const contactPoint = at.configured.has("alertWebhook")
    ? { name: "Webhook", url: justSecret("alertWebhook") }
    : { name: "Stack log", url: alertLog.url };
  const files = provisioningFiles(metrics.insideUrl);
  const library = plannedVolume(at, dashboardsLibrary);
  return {
    address: {
      title: "Grafana",
      url,
      user: GRAFANA_ADMIN,
      isTool: false,
      first: { page: "", shows: "the state of the pipeline" },
    },
    client: {
      environment: { GRAFANA_URL: url },
      secrets: { GRAFANA_PASSWORD: "adminPassword" },
    },
    content,
    contactPoint,
    dataVolume: library.volume,
    setPassword: [at.names.container(ALIAS), "sh", "-c", RESET_PASSWORD],
    service: serviceOf(config, at, { port, url, files, library }),
  };
}

interface Parts {
  readonly port: PublishedPort;
  readonly url: string;
  readonly files: readonly ConfigFile[];
  readonly library: PlannedVolume;
}

function serviceOf(
  config: DashboardsConfig,
  at: Placement,
  { port, url, files, library }: Parts,
): ServicePlan {
  const provisioning = configVolume(
    PROVISIONING_ROLE,
    at.names.volume("grafana-provisioning"),
    PROVISIONING,
    files,
  );
  const secrets = secretFiles(at, ALIAS, { [PASSWORD]: justSecret("adminPassword") });
  const container: ContainerSpec = {
    ...commonSpec,
    role: "dashboards",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(at, dashboardsConfig.images, "grafana"),
    environment: settings(url),
    user: "472:0",
    ports: [port],
    health: wgetHealthCheck(PORT, "/api/health"),
    memoryMiB: config.memoryMiB,
    cpus: config.cpus,
    graceSeconds: 15,
  };
  const configs = [provisioning, secrets.config];
  return servicePlan({ container, volumes: [library], configs });
}

const settings = (url: string) => ({
  GF_SECURITY_ADMIN_USER: GRAFANA_ADMIN,
  GF_SECURITY_ADMIN_PASSWORD__FILE: `${SECRETS}/${PASSWORD}`,
  GF_SERVER_ROOT_URL: url,
  GF_USERS_ALLOW_SIGN_UP: "false",
  GF_ANALYTICS_REPORTING_ENABLED: "false",
  GF_ANALYTICS_CHECK_FOR_UPDATES: "false",
  GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES: "false",
  GF_NEWS_NEWS_FEED_ENABLED: "false",
  GF_PLUGINS_PREINSTALL_DISABLED: "true",
  GF_DATE_FORMATS_DEFAULT_TIMEZONE: "UTC",
});
