import * as pulumi from "@pulumi/pulumi";
import type { Broker } from "../broker/index.ts";
import type { Topics } from "../broker/topics.ts";
import { deployService, type StackContext } from "../resources/service.ts";
import type { BrokerUiPlan } from "./spec.ts";

export interface BrokerUiArgs {
  readonly plan: BrokerUiPlan;
  readonly context: StackContext;
  readonly broker: Broker;
  readonly topics: Topics;
}

/** A web page on the broker's topics, messages and consumer groups. */
export class BrokerUi extends pulumi.ComponentResource {
  readonly url: string;

  constructor(
    name: string,
    { plan, context, broker, topics }: BrokerUiArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:broker:BrokerUi", name, {}, opts);
    this.url = plan.url;
    const { secrets } = broker;
    const after = [topics.brokerAnswers];
    deployService(name, plan.service, context, { parent: this, after, secrets });
    this.registerOutputs({ url: this.url });
  }
}
