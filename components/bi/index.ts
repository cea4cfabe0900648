import * as pulumi from "@pulumi/pulumi";
import type { Broker } from "../broker/index.ts";
import type { Database } from "../database/index.ts";
import type { Schema } from "../database/schema.ts";
import type { Postgres } from "../postgres/index.ts";
import { ownImage } from "../resources/own-image.ts";
import { runOnChange } from "../resources/pipeline-command.ts";
import { deployService, type StackContext } from "../resources/service.ts";
import type { SharedSecrets } from "../resources/shared-secrets.ts";
import { stackCommand } from "../resources/stack-command.ts";
import { COMMANDS } from "../shared/commands.ts";
import { contentDigest, DIGESTED } from "../shared/content-digest.ts";
import { biEnvironment } from "../shared/endpoints.ts";
import type { BiPlan } from "./spec.ts";

export interface BiArgs {
  readonly plan: BiPlan;
  readonly context: StackContext;
  readonly shared: SharedSecrets;
  readonly postgres: Postgres;
  readonly database: Database;
  readonly broker: Broker;
  readonly schema: Schema;
}

export class Bi extends pulumi.ComponentResource {
  readonly url: string;

  constructor(name: string, args: BiArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:bi:Bi", name, {}, opts);
    const { plan, context, shared, postgres, database, schema } = args;
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
      secrets: { ...shared.secrets, ...postgres.secrets },
    });
    const command = stackCommand(COMMANDS.bi, 600, args.broker, database);
    const passwords = {
      SUPERSET_PASSWORD: shared.adminPassword,
      BI_DATABASE_PASSWORD: database.martsPassword,
    };
    runOnChange(
      `${name}-assets`,
      {
        ...command,
        environment: { ...command.environment, ...biEnvironment(plan) },
        secretEnvironment: { ...command.secretEnvironment, ...passwords },
      },
      [
        contentDigest(...DIGESTED["bi-assets"]),
        container.containerId,
        schema.version,
        // Superset keeps it in its connection.
        shared.digest(database.martsPassword),
      ],
      { parent: this, deleteBeforeReplace: true, dependsOn: [container, schema] },
    );
    this.registerOutputs({ url: this.url });
  }
}
