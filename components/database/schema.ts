import * as pulumi from "@pulumi/pulumi";
import type { Broker } from "../broker/index.ts";
import type { Topics } from "../broker/topics.ts";
import { runOnChange } from "../resources/pipeline-command.ts";
import type { SharedSecrets } from "../resources/shared-secrets.ts";
import { stackCommand } from "../resources/stack-command.ts";
import { COMMANDS } from "../shared/commands.ts";
import { contentDigest, DIGESTED } from "../shared/content-digest.ts";
import type { Database } from "./index.ts";

export interface SchemaArgs {
  readonly database: Database;
  readonly broker: Broker;
  readonly topics: Topics;
  readonly shared: SharedSecrets;
}

export class Schema extends pulumi.ComponentResource {
  readonly version: pulumi.Output<string>;

  constructor(name: string, args: SchemaArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:database:Schema", name, {}, opts);
    const { database, broker, topics, shared } = args;
    const applied = runOnChange(
      name,
      stackCommand(COMMANDS.schema, 600, broker, database),
      [
        contentDigest(...DIGESTED.schema),
        database.identity,
        topics.version,
        // An external database keeps it in the named collection that the command defines.
        ...(broker.password ? [shared.digest(broker.password)] : []),
      ],
      { parent: this, deleteBeforeReplace: true, dependsOn: [database, topics] },
    );
    this.version = applied.id;
    this.registerOutputs({ version: this.version });
  }
}
