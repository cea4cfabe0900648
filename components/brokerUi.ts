import * as pulumi from "@pulumi/pulumi";
import type { BrokerUiPlan } from "../pipeline/stack/plan/broker-ui.ts";
import type { Broker } from "./broker.ts";
import { deployService, type StackContext } from "./service.ts";

export interface BrokerUiArgs {
  readonly plan: BrokerUiPlan;
  readonly context: StackContext;
  readonly broker: Broker;
}

/** A web page on the broker's topics, messages and consumer groups. */
export class BrokerUi extends pulumi.ComponentResource {
  readonly url: string;

  constructor(
    name: string,
    { plan, context, broker }: BrokerUiArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:broker:BrokerUi", name, {}, opts);
    this.url = plan.url;
    deployService(name, plan.service, context, { parent: this, after: [broker] });
    this.registerOutputs({ url: this.url });
  }
}
