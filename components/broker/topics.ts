import * as pulumi from "@pulumi/pulumi";
import { runOnChange } from "../resources/pipeline-command.ts";
import { type Client, stackCommand } from "../resources/stack-command.ts";
import { contentDigest, DIGESTED } from "../shared/content-digest.ts";
import { TOPICS_COMMANDS } from "./spec.ts";

export interface TopicsArgs {
  readonly clients: readonly Client[];
  /** Value that changes with the broker's storage. */
  readonly brokerId: pulumi.Input<string>;
  readonly dependsOn: pulumi.Resource[];
}

const WITHIN_SECONDS = 120;

/** Creates the Kafka topics and their settings; idempotent. */
export class Topics extends pulumi.ComponentResource {
  readonly version: pulumi.Output<string>;

  constructor(
    name: string,
    { clients, brokerId, dependsOn }: TopicsArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:broker:Topics", name, {}, opts);
    const declared = runOnChange(
      name,
      stackCommand(TOPICS_COMMANDS, WITHIN_SECONDS, clients),
      [contentDigest(...DIGESTED.topics), brokerId],
      { parent: this, deleteBeforeReplace: true, dependsOn },
    );
    this.version = declared.id;
    this.registerOutputs({ version: this.version });
  }
}
