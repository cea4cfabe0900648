import * as pulumi from "@pulumi/pulumi";
import { configuredSecret, type Secrets } from "../resources/secret.ts";
import { Service, type StackContext } from "../resources/service.ts";
import { type Client, clientOf } from "../resources/stack-command.ts";
import type { BrokerPlan } from "./spec.ts";

export interface BrokerArgs {
  readonly plan: BrokerPlan;
  readonly context: StackContext;
}

/** Password of an external broker, if it needs one. */
export type BrokerSecrets = Secrets<never, "brokerPassword">;

/** Kafka in a container, or the connection to an external cluster. */
export class Broker extends pulumi.ComponentResource {
  readonly client: Client;
  readonly secrets: BrokerSecrets;
  /** Ids of the brokers' containers; of an external broker, its address. */
  readonly serverId: pulumi.Output<string>;

  constructor(name: string, { plan, context }: BrokerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:broker:Broker", name, {}, opts);
    const { service, companions, endpoint } = plan;
    this.secrets = {
      brokerPassword: endpoint.security.sasl
        ? configuredSecret("brokerPassword", context.configured)
        : undefined,
    };
    this.client = clientOf(plan.client, this.secrets);
    const nodes = [...(service ? [service] : []), ...companions].map(
      // Side by side, because a broker is healthy only with a second one.
      (node) => new Service(node.container.role, { plan: node, context }, { parent: this }),
    );
    this.serverId = service
      ? pulumi.all(nodes.map(({ containerId }) => containerId)).apply((ids) => ids.join())
      : pulumi.output(endpoint.host);
    const { client, secrets, serverId } = this;
    this.registerOutputs({ client, secrets, serverId });
  }
}
