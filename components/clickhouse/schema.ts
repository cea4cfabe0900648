import * as pulumi from "@pulumi/pulumi";
import type { KafkaConnection } from "../kafka/connection.ts";
import { runPipeline } from "../shared/commands.ts";
import { contentDigest } from "../shared/digest.ts";
import { pipelineClient } from "./connection.ts";
import type { ClickHouse } from "./index.ts";

export interface SchemaArgs {
  readonly clickhouse: ClickHouse;
  /** Kafka with all topics, whose epoch the tables hold. */
  readonly kafka: KafkaConnection;
}

/** Files with the tables; their comments come from the contract. */
export const CONTENT = ["sql/ddl", "sql/schema.json", "contract"];

/** Tables of all layers, with the epoch of the topics; idempotent. */
export class Schema extends pulumi.ComponentResource {
  /** Value that changes with the tables. */
  readonly digest = contentDigest(...CONTENT);
  /** ClickHouse with all tables. */
  readonly clickhouse: ClickHouse;

  constructor(name: string, args: SchemaArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Schema", name, {}, opts);
    const { clickhouse, kafka } = args;
    const applied = runPipeline(
      name,
      {
        // The second command registers the epoch of the topics in the tables of the first.
        pipeline: ["ddl", "topics"],
        timeoutSeconds: 600,
        client: pipelineClient(clickhouse.connection, kafka),
        triggers: [this.digest, clickhouse.serverId],
      },
      this,
    );
    const { connection, scrape } = clickhouse;
    this.clickhouse = {
      ...clickhouse,
      connection: { ...connection, ready: [...connection.ready, applied] },
      scrape: scrape.map((job) => ({ ...job, ready: [...job.ready, applied] })),
    };
    this.registerOutputs({ applied: applied.id });
  }
}
