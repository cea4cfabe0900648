import * as pulumi from "@pulumi/pulumi";
import { configuredSecret, type SecretOutputs } from "../resources/secret.ts";
import { deployService, type StackContext } from "../resources/service.ts";
import type { BrokerEndpoint } from "../shared/endpoints.ts";
import type { BrokerPlan } from "./spec.ts";

export interface BrokerArgs {
  readonly plan: BrokerPlan;
  readonly context: StackContext;
}

export class Broker extends pulumi.ComponentResource {
  readonly endpoint: BrokerEndpoint;
  /** Null without authentication. */
  readonly password: pulumi.Output<string> | null;
  readonly secrets: SecretOutputs;
  /** Changes with every new broker container; the address of an external one. */
  readonly identity: pulumi.Output<string>;

  constructor(name: string, { plan, context }: BrokerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:broker:Broker", name, {}, opts);
    this.endpoint = plan.endpoint;
    this.password = plan.endpoint.security.sasl
      ? configuredSecret("brokerPassword", context.configured)
      : null;
    this.secrets = this.password ? { brokerPassword: this.password } : {};
    this.identity = plan.service
      ? deployService(name, plan.service, context, { parent: this }).container.containerId
      : pulumi.output(plan.endpoint.host);
    this.registerOutputs({ endpoint: this.endpoint, identity: this.identity });
  }
}
