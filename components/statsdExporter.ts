import * as pulumi from "@pulumi/pulumi";
import type { StatsdExporterPlan } from "../pipeline/stack/plan/statsd-exporter.ts";
import { deployService, type StackContext } from "./service.ts";

export interface StatsdExporterArgs {
  readonly plan: StatsdExporterPlan;
  readonly context: StackContext;
}

/** Turns what the scheduler sends by StatsD into metrics. */
export class StatsdExporter extends pulumi.ComponentResource {
  readonly url: string;

  constructor(
    name: string,
    { plan, context }: StatsdExporterArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:monitoring:StatsdExporter", name, {}, opts);
    this.url = plan.url;
    deployService(name, plan.service, context, { parent: this });
    this.registerOutputs({ url: this.url });
  }
}
