import * as pulumi from "@pulumi/pulumi";
import { runOnChange } from "../resources/pipeline-command.ts";
import type { StackContext } from "../resources/service.ts";
import { type Client, stackCommand } from "../resources/stack-command.ts";
import { contentDigest, DIGESTED } from "../shared/content-digest.ts";
import { SCHEMA_COMMANDS } from "./spec.ts";

export interface SchemaArgs {
  readonly context: Pick<StackContext, "digest">;
  readonly clients: readonly Client[];
  readonly databaseId: pulumi.Input<string>;
  readonly topicsVersion: pulumi.Input<string>;
  readonly brokerPassword: pulumi.Input<string> | undefined;
  readonly dependsOn: pulumi.Resource[];
}

/** Creates the tables and registers the epoch of the topics; idempotent. */
export class Schema extends pulumi.ComponentResource {
  readonly version: pulumi.Output<string>;

  constructor(name: string, args: SchemaArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:database:Schema", name, {}, opts);
    const { context, clients, databaseId, topicsVersion, brokerPassword, dependsOn } = args;
    const applied = runOnChange(
      name,
      stackCommand(SCHEMA_COMMANDS, 600, clients),
      [
        contentDigest(...DIGESTED.schema),
        databaseId,
        topicsVersion,
        // An external database stores the password in the named collection that `topics` creates.
        ...(brokerPassword ? [context.digest(brokerPassword)] : []),
      ],
      { parent: this, deleteBeforeReplace: true, dependsOn },
    );
    this.version = applied.id;
    this.registerOutputs({ version: this.version });
  }
}
