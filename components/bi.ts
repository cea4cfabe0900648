import * as pulumi from "@pulumi/pulumi";
import { biEnvironment } from "../pipeline/stack/endpoints.ts";
import type { BiPlan } from "../pipeline/stack/plan/bi.ts";
import { COMMANDS } from "../pipeline/stack/plan/commands.ts";
import type { Broker } from "./broker.ts";
import { contentDigest, DIGESTED } from "./contentDigest.ts";
import type { Database } from "./database.ts";
import { ownImage } from "./ownImage.ts";
import { runOnChange, stackCommand } from "./pipelineCommand.ts";
import type { Postgres } from "./postgres.ts";
import type { Schema } from "./schema.ts";
import { deployService, type StackContext } from "./service.ts";

export interface BiArgs {
  readonly plan: BiPlan;
  readonly context: StackContext;
  readonly postgres: Postgres;
  readonly database: Database;
  readonly broker: Broker;
  readonly schema: Schema;
}

/** Superset with its connection, datasets, charts and dashboard. */
export class Bi extends pulumi.ComponentResource {
  readonly url: string;

  constructor(name: string, args: BiArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:bi:Bi", name, {}, opts);
    const { plan, context, postgres, schema } = args;
    this.url = plan.url;
    const image = ownImage(
      `${name}-image`,
      {
        image: plan.service.container.image,
        baseImage: plan.baseImage,
        dockerfile: "superset/Dockerfile",
        stack: context.stack,
      },
      this,
    );
    const { container } = deployService(name, plan.service, context, {
      parent: this,
      after: [postgres],
      builtImage: image.repoDigest,
    });
    const command = stackCommand(COMMANDS.bi, 600, args.broker, args.database);
    const passwords = {
      SUPERSET_PASSWORD: context.passwords.admin,
      BI_DATABASE_PASSWORD: pulumi.secret(plan.marts.password),
    };
    runOnChange(
      `${name}-assets`,
      {
        ...command,
        environment: { ...command.environment, ...biEnvironment(plan) },
        secretEnvironment: { ...command.secretEnvironment, ...passwords },
      },
      [contentDigest(...DIGESTED["bi-assets"]), container.containerId, schema.version],
      { parent: this, deleteBeforeReplace: true, dependsOn: [container, schema] },
    );
    this.registerOutputs({ url: this.url });
  }
}
