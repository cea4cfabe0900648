import * as pulumi from "@pulumi/pulumi";
import type { ClickHouseConnection } from "../clickhouse/connection.ts";
import { pipelineCommand } from "../shared/commands.ts";
import { contentDigest } from "../shared/digest.ts";
import type { KafkaConnection } from "./connection.ts";
import type { Kafka } from "./index.ts";

export interface TopicsArgs {
  readonly kafka: Kafka;
  /** ClickHouse, whose epoch follows the topics. */
  readonly clickhouse: ClickHouseConnection;
}

/** Files with the topics; a changed one creates what is missing. */
export const CONTENT = ["contract/topics.ts", "contract/streams.ts"];

/** Topics of Kafka with their settings; idempotent. */
export class Topics extends pulumi.ComponentResource {
  /** Kafka with all topics. */
  readonly kafka: KafkaConnection;

  constructor(
    name: string,
    { kafka, clickhouse }: TopicsArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:index:Topics", name, {}, opts);
    const { connection, serverId } = kafka;
    const created = pipelineCommand(
      name,
      {
        pipeline: ["topics --wait 60"],
        timeoutSeconds: 120,
        uses: [connection.client, clickhouse.client],
        triggers: [contentDigest(...CONTENT), serverId],
      },
      this,
    );
    this.kafka = connection.after(created);
    this.registerOutputs({ created: created.id });
  }
}
