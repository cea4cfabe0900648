import * as pulumi from "@pulumi/pulumi";
import { grafanaContent } from "../../dashboards/delivery/content.ts";
import type { Prometheus } from "../prometheus/index.ts";
import { dockerCommand, pipelineCommand } from "../shared/commands.ts";
import { wgetHealth } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import type { Page } from "../shared/page.ts";
import { SECRET_FILES, Service } from "../shared/service.ts";
import type { Use } from "../shared/use.ts";
import type { GrafanaSettings } from "./config.ts";
import { deliverContent } from "./content.ts";
import { provisioningFiles } from "./provisioning.ts";

const PORT = 3000;
const PASSWORD_FILE = `${SECRET_FILES}/admin-password`;
const ADMIN = "admin";

/** Shell text that sets the password; it retries, because Grafana locks its database for writes. */
const SET_PASSWORD = [
  "for try in 1 2 3 4 5; do",
  `grafana cli admin reset-admin-password --password-from-stdin <${PASSWORD_FILE} && exit 0;`,
  "sleep 2; done; exit 1",
].join(" ");

/** Receives a POST for each group of alerts. */
export interface AlertReceiver {
  readonly url: pulumi.Input<string>;
  readonly use: Use;
}

export interface GrafanaArgs extends GrafanaSettings {
  readonly network: Network;
  readonly adminPassword: pulumi.Output<string>;
  readonly prometheus: Pick<Prometheus, "client" | "jobs" | "runbook" | "url" | "use">;
  readonly receiver: AlertReceiver;
  /** Pages that the home dashboard links. */
  readonly tools: readonly Page[];
}

/** Grafana with its dashboards and alerts; the data source is a provisioned file. */
export class Grafana extends pulumi.ComponentResource {
  readonly client: Use;
  readonly page: Page;

  constructor(name: string, args: GrafanaArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Grafana", name, {}, opts);
    const { network, adminPassword, prometheus } = args;
    const port = network.publish(PORT, args.port);
    const url = network.url(port);
    const service = new Service(
      name,
      {
        ...args,
        environment: settings(url),
        user: "472:472",
        ports: [port],
        volumes: [{ name: "data", path: "/var/lib/grafana", isDisposable: true }],
        files: { [PASSWORD_FILE]: adminPassword, ...provisioningFiles(prometheus.url) },
        health: wgetHealth(PORT, "/api/health"),
        graceSeconds: 15,
        uses: [prometheus.use, args.receiver.use],
      },
      { parent: this },
    );
    // Grafana's database keeps the first password. The command needs no previous one.
    const administrator = dockerCommand(
      `${name}-administrator`,
      {
        docker: ["exec", service.container, "sh", "-c", SET_PASSWORD],
        timeoutSeconds: 60,
        triggers: [service.containerId],
        uses: [service.use],
      },
      this,
    );
    this.client = {
      environment: { GRAFANA_URL: url, GRAFANA_PASSWORD: adminPassword },
      ready: [administrator],
    };
    // No resource, because its deletion would delete what people saved in the folder.
    const folder = pipelineCommand(
      `${name}-folder`,
      {
        pipeline: ["monitoring folder"],
        timeoutSeconds: 60,
        uses: [prometheus.client, this.client],
        triggers: [service.containerId],
      },
      this,
    );
    const [data] = service.volumes;
    if (!data) throw new Error("Grafana has no volume");
    const tools = args.tools.map(({ title, url: address }) => ({ title, url: address }));
    deliverContent(
      name,
      {
        url,
        use: { ready: [folder] },
        login: pulumi.secret(pulumi.interpolate`${ADMIN}:${adminPassword}`),
        content: grafanaContent({ jobs: prometheus.jobs, tools, runbook: prometheus.runbook }),
        webhook: args.receiver.url,
        data,
      },
      this,
    );
    this.page = {
      title: "Grafana",
      url,
      user: ADMIN,
      first: { url, shows: "the state of the pipeline" },
    };
    this.registerOutputs({ url: this.page.url });
  }
}

const settings = (url: string) => ({
  GF_SECURITY_ADMIN_USER: ADMIN,
  GF_SECURITY_ADMIN_PASSWORD__FILE: PASSWORD_FILE,
  GF_SERVER_ROOT_URL: url,
  GF_USERS_ALLOW_SIGN_UP: "false",
  GF_ANALYTICS_REPORTING_ENABLED: "false",
  GF_ANALYTICS_CHECK_FOR_UPDATES: "false",
  GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES: "false",
  GF_NEWS_NEWS_FEED_ENABLED: "false",
  GF_PLUGINS_PREINSTALL_DISABLED: "true",
  GF_DATE_FORMATS_DEFAULT_TIMEZONE: "UTC",
});
