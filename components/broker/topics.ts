import * as pulumi from "@pulumi/pulumi";
import type { Database } from "../database/index.ts";
import { runOnChange } from "../resources/pipeline-command.ts";
import { stackCommand } from "../resources/stack-command.ts";
import { COMMANDS } from "../shared/commands.ts";
import { contentDigest, DIGESTED } from "../shared/content-digest.ts";
import type { Broker } from "./index.ts";

export interface TopicsArgs {
  readonly broker: Broker;
  readonly database: Database;
}

const WITHIN_SECONDS = 120;

/** Declaring the topics again changes nothing. */
export class Topics extends pulumi.ComponentResource {
  readonly version: pulumi.Output<string>;

  constructor(name: string, args: TopicsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:broker:Topics", name, {}, opts);
    const { broker, database } = args;
    const declared = runOnChange(
      name,
      stackCommand(COMMANDS.topics, WITHIN_SECONDS, broker, database),
      [contentDigest(...DIGESTED.topics), broker.identity],
      { parent: this, deleteBeforeReplace: true, dependsOn: [broker, database] },
    );
    this.version = declared.id;
    this.registerOutputs({ version: this.version });
  }
}
