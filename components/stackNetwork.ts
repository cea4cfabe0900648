import * as pulumi from "@pulumi/pulumi";
import type { Label } from "../pipeline/stack/labels.ts";
import type { StackNames } from "../pipeline/stack/names.ts";
import { networkTexts } from "../pipeline/stack/plan/network.ts";
import { engineWhileNeeded } from "./pipelineCommand.ts";

export interface StackNetworkArgs {
  readonly names: StackNames;
  readonly labels: readonly Label[];
}

/**
 * The network all containers of the stack share; services find each other in it by alias. Made by
 * the engine's own client: the provider's resource waits two seconds whenever it reads a network,
 * after it has made it and at each refresh, and every service waits for that.
 */
export class StackNetwork extends pulumi.ComponentResource {
  readonly networkName: pulumi.Output<string>;

  constructor(
    name: string,
    { names, labels }: StackNetworkArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:network:StackNetwork", name, {}, opts);
    const network = engineWhileNeeded(name, networkTexts(names, labels), {
      parent: this,
      // A second one of its name cannot be made first.
      deleteBeforeReplace: true,
    });
    this.networkName = network.id.apply(() => names.network);
    this.registerOutputs({ networkName: this.networkName });
  }
}
