import * as pulumi from "@pulumi/pulumi";
import { brokerEnvironment } from "../pipeline/stack/endpoints.ts";
import type { Broker } from "./broker.ts";
import { contentDigest } from "./contentDigest.ts";
import { runOnChange } from "./pipelineCommand.ts";

export interface TopicsArgs {
  readonly broker: Broker;
  readonly brokerPassword: pulumi.Output<string> | null;
}

/** The topics of the contract on the broker. Declaring them again changes nothing. */
export class Topics extends pulumi.ComponentResource {
  /** Changes whenever the topics were declared anew. */
  readonly version: pulumi.Output<string>;

  constructor(
    name: string,
    { broker, brokerPassword }: TopicsArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:broker:Topics", name, {}, opts);
    const declared = runOnChange(
      name,
      {
        pipeline: "topics",
        timeoutSeconds: 120,
        environment: brokerEnvironment(broker.endpoint, "host"),
        secretEnvironment: brokerPassword ? { KAFKA_SASL_PASSWORD: brokerPassword } : {},
      },
      [contentDigest("contract/topics.ts", "contract/streams.ts"), broker.identity],
      { parent: this, deleteBeforeReplace: true, dependsOn: [broker] },
    );
    this.version = declared.id;
    this.registerOutputs({ version: this.version });
  }
}
