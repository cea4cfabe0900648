import * as pulumi from "@pulumi/pulumi";
import { deployService, type StackContext } from "../resources/service.ts";
import type { StatsdExporterPlan } from "./spec.ts";

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
