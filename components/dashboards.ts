import * as pulumi from "@pulumi/pulumi";
import { monitoringEnvironment } from "../pipeline/stack/endpoints.ts";
import type { DashboardsPlan } from "../pipeline/stack/plan/dashboards.ts";
import type { MetricsPlan } from "../pipeline/stack/plan/metrics.ts";
import { deliverContent } from "./grafanaContent.ts";
import { runOnUpdate } from "./pipelineCommand.ts";
import { deployService, type ServiceParts, type StackContext } from "./service.ts";

export interface DashboardsArgs {
  readonly plan: DashboardsPlan;
  readonly metrics: MetricsPlan;
  readonly context: StackContext;
}

/**
 * Grafana. The data source is always a file; dashboards and rules come as files beside it, or as
 * resources of the stack, so that a change shows as its own difference.
 */
export class Dashboards extends pulumi.ComponentResource {
  readonly url: string;

  constructor(name: string, args: DashboardsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:monitoring:Dashboards", name, {}, opts);
    const { plan, context } = args;
    this.url = plan.url;
    const parts = deployService(name, plan.service, context, { parent: this });
    this.#reloadOnChange(`${name}-reload`, args, parts);
    if (plan.delivery === "resources") {
      const password = context.passwords.admin;
      deliverContent(name, { plan, password, container: parts.container }, this);
    }
    this.registerOutputs({ url: this.url });
  }

  /** Grafana reads its files again on request: a changed one never restarts it. */
  #reloadOnChange(name: string, args: DashboardsArgs, { container, configs }: ServiceParts): void {
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
        secretEnvironment: { GRAFANA_PASSWORD: args.context.passwords.admin },
      },
      pulumi.all(configs.map(({ loaderId }) => loaderId)).apply((ids) => ids.join()),
      { parent: this, dependsOn: [container] },
    );
  }
}
