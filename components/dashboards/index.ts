import * as pulumi from "@pulumi/pulumi";
import type { MetricsPlan } from "../metrics/spec.ts";
import { engineOnChange, runOnUpdate } from "../resources/pipeline-command.ts";
import { deployService, type ServiceParts, type StackContext } from "../resources/service.ts";
import type { SharedSecrets } from "../resources/shared-secrets.ts";
import { monitoringEnvironment } from "../shared/endpoints.ts";
import { SECRETS_ROLE } from "../shared/secret-files.ts";
import { deliverContent } from "./content.ts";
import type { DashboardsPlan } from "./spec.ts";

export interface DashboardsArgs {
  readonly plan: DashboardsPlan;
  readonly metrics: MetricsPlan;
  readonly context: StackContext;
  readonly shared: SharedSecrets;
}

/** The data source is always a file; previews show each change of the rest. */
export class Dashboards extends pulumi.ComponentResource {
  readonly url: string;

  constructor(name: string, args: DashboardsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:monitoring:Dashboards", name, {}, opts);
    const { plan, context, shared } = args;
    this.url = plan.url;
    const webhook = context.configured.get("alertWebhook");
    const secrets = { ...shared.secrets, ...(webhook ? { alertWebhook: webhook } : {}) };
    const parts = deployService(name, plan.service, context, { parent: this, secrets });
    const administrator = this.#setPassword(`${name}-administrator`, args, parts);
    this.#reloadOnChange(`${name}-reload`, args, parts, administrator);
    if (plan.delivery === "resources") {
      const { container } = parts;
      const password = shared.adminPassword;
      deliverContent(name, { plan, password, secrets, container, administrator }, this);
    }
    this.registerOutputs({ url: this.url });
  }

  /** Grafana's database keeps the first password. Needs no previous credentials. */
  #setPassword(name: string, { plan }: DashboardsArgs, { container, configs }: ServiceParts) {
    const run = { docker: ["exec", ...plan.setPassword], timeoutSeconds: 60 };
    const files = configs.filter(({ role }) => role === SECRETS_ROLE);
    const triggers = [container.containerId, ...files.map(({ loaderId }) => loaderId)];
    return engineOnChange(name, run, triggers, { parent: this });
  }

  #reloadOnChange(
    name: string,
    args: DashboardsArgs,
    { container, configs }: ServiceParts,
    administrator: pulumi.Resource,
  ): void {
    const files = configs.filter(({ role }) => role !== SECRETS_ROLE);
    runOnUpdate(
      name,
      {
        pipeline: ["monitoring reload --only dashboards"],
        timeoutSeconds: 60,
        environment: monitoringEnvironment({
          metricsUrl: args.metrics.url,
          metricsContainer: args.metrics.service.container.name,
          dashboardsUrl: args.plan.url,
        }),
        secretEnvironment: { GRAFANA_PASSWORD: args.shared.adminPassword },
      },
      pulumi.all(files.map(({ loaderId }) => loaderId)).apply((ids) => ids.join()),
      { parent: this, dependsOn: [container, administrator] },
    );
  }
}
