import * as pulumi from "@pulumi/pulumi";
import type { BrokerExporterPlan } from "../pipeline/stack/plan/broker-exporter.ts";
import { deployService, type StackContext } from "./service.ts";

export interface BrokerExporterArgs {
  readonly plan: BrokerExporterPlan;
  readonly context: StackContext;
  /** Behind what the broker answers. */
  readonly after: pulumi.Resource;
}

/** Offsets, lag and members of the broker's topics and groups as metrics. */
export class BrokerExporter extends pulumi.ComponentResource {
  readonly url: string;

  constructor(
    name: string,
    { plan, context, after }: BrokerExporterArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:monitoring:BrokerExporter", name, {}, opts);
    this.url = plan.url;
    // It ends when it finds no broker at its start.
    deployService(name, plan.service, context, { parent: this, after: [after] });
    this.registerOutputs({ url: this.url });
  }
}
