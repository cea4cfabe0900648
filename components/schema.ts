import * as pulumi from "@pulumi/pulumi";
import { brokerEnvironment, databaseEnvironment } from "../pipeline/stack/endpoints.ts";
import type { Broker } from "./broker.ts";
import { contentDigest } from "./contentDigest.ts";
import type { Database } from "./database.ts";
import { runOnChange } from "./pipelineCommand.ts";
import type { Topics } from "./topics.ts";

export interface SchemaArgs {
  readonly database: Database;
  readonly broker: Broker;
  readonly brokerPassword: pulumi.Output<string> | null;
  readonly topics: Topics;
}

/** Databases, tables and views of all layers, applied again whenever a definition changes. */
export class Schema extends pulumi.ComponentResource {
  readonly version: pulumi.Output<string>;

  constructor(name: string, args: SchemaArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:database:Schema", name, {}, opts);
    const { database, broker, brokerPassword, topics } = args;
    const applied = runOnChange(
      name,
      {
        pipeline: "ddl",
        timeoutSeconds: 600,
        environment: {
          ...databaseEnvironment(database.endpoint),
          // The broker as the database reaches it: the Kafka tables consume from inside.
          ...brokerEnvironment(broker.endpoint, "inside"),
        },
        secretEnvironment: {
          CLICKHOUSE_PASSWORD: database.password,
          ...(brokerPassword ? { KAFKA_SASL_PASSWORD: brokerPassword } : {}),
        },
      },
      [contentDigest("sql/ddl"), database.identity],
      { parent: this, deleteBeforeReplace: true, dependsOn: [database, topics] },
    );
    this.version = applied.id;
    this.registerOutputs({ version: this.version });
  }
}
