import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { StackNames } from "../pipeline/stack/names.ts";
import type { Label } from "./labels.ts";

export interface StackNetworkArgs {
  readonly names: StackNames;
  readonly labels: readonly Label[];
}

/** The network all containers of the stack share; services find each other in it by alias. */
export class StackNetwork extends pulumi.ComponentResource {
  readonly networkName: pulumi.Output<string>;

  constructor(
    name: string,
    { names, labels }: StackNetworkArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:network:StackNetwork", name, {}, opts);
    const network = new docker.Network(
      name,
      { name: names.network, labels: [...labels] },
      // Any change would recreate the network and with it every container.
      { parent: this, ignoreChanges: ["name", "labels", "driver", "options"] },
    );
    this.networkName = network.name;
    this.registerOutputs({ networkName: this.networkName });
  }
}
