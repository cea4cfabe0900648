import * as pulumi from "@pulumi/pulumi";
import type { Database } from "../database/index.ts";
import { runOnUpdate } from "../resources/pipeline-command.ts";
import { deployService, type StackContext } from "../resources/service.ts";
import { monitoringEnvironment } from "../shared/endpoints.ts";
import type { MetricsPlan } from "./spec.ts";

export interface MetricsArgs {
  readonly plan: MetricsPlan;
  readonly context: StackContext;
  readonly database: Database;
  /** Containers that it watches; it starts after them, so that no start is reported as a failure. */
  readonly after: readonly pulumi.Resource[];
}

export class Metrics extends pulumi.ComponentResource {
  readonly url: string;

  constructor(
    name: string,
    { plan, context, database, after }: MetricsArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:monitoring:Metrics", name, {}, opts);
    this.url = plan.url;
    deployService(`${name}-alert-log`, plan.alertLog.service, context, { parent: this });
    const { container, configs } = deployService(name, plan.service, context, {
      parent: this,
      after,
      secrets: { monitorPassword: database.monitorPassword },
    });
    const environment = monitoringEnvironment({
      metricsUrl: plan.url,
      metricsContainer: plan.service.container.name,
      dashboardsUrl: null,
    });
    runOnUpdate(
      `${name}-reload`,
      { pipeline: ["monitoring reload"], timeoutSeconds: 60, environment, secretEnvironment: {} },
      pulumi.all(configs.map(({ loaderId }) => loaderId)).apply((ids) => ids.join()),
      { parent: this, dependsOn: [container] },
    );
    this.registerOutputs({ url: this.url });
  }
}
