import * as pulumi from "@pulumi/pulumi";
import type { Database } from "../database/index.ts";
import { runOnChange } from "../resources/pipeline-command.ts";
import { stackCommand } from "../resources/stack-command.ts";
import { COMMANDS } from "../shared/commands.ts";
import { contentDigest, DIGESTED } from "../shared/content-digest.ts";
import { HEALTHY_WITHIN_SECONDS } from "../shared/spec.ts";
import type { Broker } from "./index.ts";

export interface TopicsArgs {
  readonly broker: Broker;
  readonly database: Database;
}

const WITHIN_SECONDS = 120;
const WAITING = COMMANDS.topics.map((topics) => `${topics} --wait ${HEALTHY_WITHIN_SECONDS}`);

/** The topics of the contract on the broker. Declaring them again changes nothing. */
export class Topics extends pulumi.ComponentResource {
  /** Changes whenever the topics were declared anew. */
  readonly version: pulumi.Output<string>;
  /** Behind this the broker answers: these topics, where nothing else waits for it. */
  readonly brokerAnswers: pulumi.Resource;

  constructor(name: string, args: TopicsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:broker:Topics", name, {}, opts);
    const { broker, database } = args;
    const declared = runOnChange(
      name,
      broker.mayBeStarting
        ? stackCommand(WAITING, HEALTHY_WITHIN_SECONDS + WITHIN_SECONDS, broker, database)
        : stackCommand(COMMANDS.topics, WITHIN_SECONDS, broker, database),
      [contentDigest(...DIGESTED.topics), broker.identity],
      { parent: this, deleteBeforeReplace: true, dependsOn: [broker, database] },
    );
    this.version = declared.id;
    this.brokerAnswers = broker.mayBeStarting ? this : broker;
    this.registerOutputs({ version: this.version });
  }
}
