import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { Label } from "../shared/labels.ts";
import type { StackNames } from "../shared/names.ts";

export interface StackNetworkArgs {
  readonly names: StackNames;
  readonly labels: readonly Label[];
}

export class StackNetwork extends pulumi.ComponentResource {
  /** The engine's id, so that a re-created network replaces its containers. */
  readonly networkId: pulumi.Output<string>;

  constructor(
    name: string,
    { names, labels }: StackNetworkArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:network:StackNetwork", name, {}, opts);
    const network = new docker.Network(
      name,
      { name: names.network, labels: [...labels] },
      // A changed label would replace the network and every container.
      { parent: this, ignoreChanges: ["labels", "driver", "options"], deleteBeforeReplace: true },
    );
    this.networkId = network.id;
    this.registerOutputs({ networkId: this.networkId });
  }
}
