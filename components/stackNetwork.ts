import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { LABELS, type StackNames } from "../pipeline/stack/names.ts";

export interface StackNetworkArgs {
  readonly names: StackNames;
}

/** The network all containers of the stack share; services find each other in it by alias. */
export class StackNetwork extends pulumi.ComponentResource {
  readonly networkName: pulumi.Output<string>;

  constructor(name: string, { names }: StackNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:network:StackNetwork", name, {}, opts);
    const network = new docker.Network(
      name,
      { name: names.network, labels: [{ label: LABELS.project, value: names.stack }] },
      // Any change would recreate the network and with it every container.
      { parent: this, ignoreChanges: ["name", "labels", "driver", "options"] },
    );
    this.networkName = network.name;
    this.registerOutputs({ networkName: this.networkName });
  }
}
