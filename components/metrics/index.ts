import * as pulumi from "@pulumi/pulumi";
import { runOnUpdate } from "../resources/pipeline-command.ts";
import type { SecretOutputs } from "../resources/secret.ts";
import { Service, type StackContext } from "../resources/service.ts";
import { type Client, clientOf, stackCommand } from "../resources/stack-command.ts";
import type { MetricsPlan } from "./spec.ts";

export interface MetricsArgs {
  readonly plan: MetricsPlan;
  readonly context: StackContext;
  /** Passwords of the scraped services. */
  readonly secrets: SecretOutputs;
  readonly dependsOn: readonly pulumi.Resource[];
}

/** Prometheus, which starts after all its targets, so that no start is reported as a failure. */
export class Metrics extends pulumi.ComponentResource {
  readonly client: Client;

  constructor(name: string, args: MetricsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:monitoring:Metrics", name, {}, opts);
    const { plan, context, secrets, dependsOn } = args;
    this.client = clientOf(plan.client, {});
    const service = new Service(
      name,
      { plan: plan.service, context, dependsOn, secrets },
      { parent: this },
    );
    runOnUpdate(
      `${name}-reload`,
      stackCommand(["monitoring reload"], 60, [this.client]),
      service.filesVersion(),
      { parent: this, dependsOn: [service] },
    );
    this.registerOutputs({ client: this.client });
  }
}
