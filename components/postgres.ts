import * as pulumi from "@pulumi/pulumi";
import type { PostgresPlan } from "../pipeline/stack/plan/postgres.ts";
import { engineOnChange } from "./pipelineCommand.ts";
import { deployService, type StackContext } from "./service.ts";

export interface PostgresArgs {
  readonly plan: PostgresPlan;
  readonly context: StackContext;
}

/** PostgreSQL for the metadata of other services, each with a database and a user of its own. */
export class Postgres extends pulumi.ComponentResource {
  /** Changes whenever users, passwords or databases were set anew. */
  readonly version: pulumi.Output<string>;

  constructor(
    name: string,
    { plan, context }: PostgresArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:postgres:Postgres", name, {}, opts);
    const { container, configs } = deployService(name, plan.service, context, { parent: this });
    const databases = engineOnChange(
      `${name}-databases`,
      { docker: ["exec", ...plan.apply], timeoutSeconds: 120 },
      [container.containerId, ...configs.map(({ loaderId }) => loaderId)],
      { parent: this, deleteBeforeReplace: true },
    );
    this.version = databases.id;
    this.registerOutputs({ version: this.version });
  }
}
