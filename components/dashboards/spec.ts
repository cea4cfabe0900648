import { createRequire } from "node:module";
import type * as Content from "../../dashboards/delivery/content.ts";
import {
  contactPointFile,
  contentFiles,
  dashboardPath,
  datasourceFile,
  noContentFiles,
  PROVISIONING,
} from "../../dashboards/delivery/files.ts";
import type { Tool } from "../../dashboards/delivery/grafana-dashboard.ts";
import { DASHBOARD_UIDS } from "../../dashboards/uids.ts";
import type { MetricsPlan } from "../metrics/spec.ts";
import { commonSpec, hostUrl, imageOf, type PlanContext, publish } from "../shared/context.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import { SECRETS, secretFiles } from "../shared/secret-files.ts";
import { justSecret, secretText, type Text } from "../shared/secret-text.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ServicePlan,
  type ServiceSpec,
} from "../shared/spec.ts";
import { dashboardsConfig } from "./config.ts";

const ALIAS = "grafana";
const PORT = 3000;
const PASSWORD = "admin-password";
export const GRAFANA_ADMIN = "admin";

/** Grafana's database is locked during its writes. */
const RESET_PASSWORD = [
  "for try in 1 2 3 4 5; do",
  `grafana cli admin reset-admin-password --password-from-stdin <${SECRETS}/${PASSWORD} && exit 0;`,
  "sleep 2; done; exit 1",
].join(" ");

export interface DashboardsPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly url: string;
  readonly dataVolume: string;
  readonly delivery: "resources" | "files";
  /** Arguments after `docker exec`. */
  readonly setPassword: readonly string[];
  readonly content: Content.GrafanaContent;
  readonly contactPoint: ContactPointPlan;
}

interface ContactPointPlan {
  readonly name: string;
  readonly url: Text;
}

const require = createRequire(import.meta.url);

/** Loaded on demand: the SDK costs a tenth of a second per command. */
const loadContent = (): typeof Content => require("../../dashboards/delivery/content.ts");

export function planDashboards(
  context: PlanContext,
  metrics: MetricsPlan | null,
  tools: readonly Tool[],
): DashboardsPlan | null {
  const { dashboards } = context.config;
  if (!dashboards.enabled || metrics === null) return null;
  const port = publish(context, "dashboards.port", PORT, dashboards.port);
  const url = hostUrl(context, port);
  const content = loadContent().grafanaContent({
    jobs: metrics.jobs,
    tools,
    runbook: dashboards.runbook,
  });
  const contactPoint = context.configured.has("alertWebhook")
    ? { name: "Webhook", url: justSecret("alertWebhook") }
    : { name: "Stack log", url: metrics.alertLog.url };
  const files = [
    datasourceFile(metrics.insideUrl),
    ...(dashboards.delivery === "files"
      ? [...contentFiles(content, contactPoint.name), contactPointConfig(contactPoint)]
      : noContentFiles()),
  ];
  const data = context.names.volume("grafana-data");
  return {
    url,
    address: { title: "Grafana", url, user: GRAFANA_ADMIN, isTool: false },
    content,
    contactPoint,
    dataVolume: data,
    delivery: dashboards.delivery,
    setPassword: [context.names.container(ALIAS), "sh", "-c", RESET_PASSWORD],
    service: serviceOf(context, port, url, files, data),
  };
}

function contactPointConfig({ name, url }: ContactPointPlan): ConfigFile {
  const file = (text: string) => contactPointFile({ name, url: text });
  if (typeof url === "string") return file(url);
  const content = secretText(url.from, (values) => file(url.render(values)).content);
  return { path: file("").path, content };
}

function serviceOf(
  context: PlanContext,
  port: ContainerSpec["ports"][number],
  url: string,
  files: readonly ConfigFile[],
  data: string,
): ServicePlan {
  const { dashboards } = context.config;
  const provisioning = configVolume(
    "provisioning",
    context.names.volume("grafana-provisioning"),
    files,
  );
  const secrets = secretFiles(context, ALIAS, { [PASSWORD]: justSecret("adminPassword") });
  const container: ContainerSpec = {
    ...commonSpec,
    role: "dashboards",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(context, dashboardsConfig.images, "grafana"),
    environment: settings(url, dashboards.delivery),
    user: "472:0",
    ports: [port],
    mounts: [
      { volume: data, path: "/var/lib/grafana", readOnly: false },
      { volume: provisioning.volume, path: PROVISIONING, readOnly: true },
      secrets.mount,
    ],
    health: wgetHealthCheck(PORT, "/api/health"),
    memoryMiB: dashboards.memoryMiB,
    cpus: dashboards.cpus,
    graceSeconds: 15,
  };
  return {
    container,
    configs: [provisioning, secrets.config],
    dataVolumes: [{ role: "library", volume: data }],
  };
}

const settings = (url: string, delivery: "resources" | "files") => ({
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
  ...(delivery === "files"
    ? {
        GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH: `${PROVISIONING}/${dashboardPath(DASHBOARD_UIDS.pipeline)}`,
      }
    : {}),
});
