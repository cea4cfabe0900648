import * as pulumi from "@pulumi/pulumi";
import type { Broker } from "../broker/index.ts";
import type { Topics } from "../broker/topics.ts";
import { deployService, type StackContext } from "../resources/service.ts";
import type { BrokerExporterPlan } from "./spec.ts";

export interface BrokerExporterArgs {
  readonly plan: BrokerExporterPlan;
  readonly context: StackContext;
  readonly broker: Broker;
  readonly topics: Topics;
}

/** Offsets, lag and members of the broker's topics and groups as metrics. */
export class BrokerExporter extends pulumi.ComponentResource {
  readonly url: string;

  constructor(
    name: string,
    { plan, context, broker, topics }: BrokerExporterArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:monitoring:BrokerExporter", name, {}, opts);
    this.url = plan.url;
    // It ends when it finds no broker at its start.
    const { secrets } = broker;
    const after = [topics.brokerAnswers];
    deployService(name, plan.service, context, { parent: this, after, secrets });
    this.registerOutputs({ url: this.url });
  }
}
