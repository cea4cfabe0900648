import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { networkOptions } from "../shared/docker-workarounds.ts";
import type { Label } from "../shared/labels.ts";
import type { StackNames } from "../shared/names.ts";

export interface StackNetworkArgs {
  readonly names: StackNames;
  readonly labels: readonly Label[];
}

export class StackNetwork extends pulumi.ComponentResource {
  /** Id in the container engine, so that a re-created network replaces its containers. */
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
      { parent: this, ...networkOptions },
    );
    this.networkId = network.id;
    this.registerOutputs({ networkId: this.networkId });
  }
}
