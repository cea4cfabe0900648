import * as pulumi from "@pulumi/pulumi";
import { buildImage } from "../resources/built-image.ts";
import { runOnChange } from "../resources/pipeline-command.ts";
import { required, type Secrets } from "../resources/secret.ts";
import { Service, type StackContext } from "../resources/service.ts";
import { type Client, clientOf, stackCommand } from "../resources/stack-command.ts";
import { contentDigest, DIGESTED } from "../shared/content-digest.ts";
import { type BiPlan, IMPORT_COMMANDS } from "./spec.ts";

export interface BiArgs {
  readonly plan: BiPlan;
  readonly context: StackContext;
  /** Secrets of the services that Superset and its import use. */
  readonly secrets: Secrets<
    "adminPassword" | "databasePassword",
    "biPassword" | "biDatabasePassword" | "biSecretKey" | "biPreviousSecretKey"
  >;
  /** Clients of the broker and the database, for the import. */
  readonly clients: readonly Client[];
  readonly schemaVersion: pulumi.Input<string>;
  readonly dependsOn: readonly pulumi.Resource[];
}

/** Superset with its datasets, charts and dashboard. */
export class Bi extends pulumi.ComponentResource {
  readonly url: string;

  constructor(name: string, args: BiArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:bi:Bi", name, {}, opts);
    const { plan, context, secrets, dependsOn } = args;
    const image = buildImage(
      `${name}-image`,
      {
        image: plan.service.container.image,
        baseImage: plan.baseImages[0],
        dockerfile: "superset/Dockerfile",
        stack: context.stack,
      },
      this,
    );
    const service = new Service(
      name,
      {
        plan: plan.service,
        context,
        dependsOn,
        image: image.repoDigest,
        secrets,
      },
      { parent: this },
    );
    this.#import(`${name}-assets`, service, args);
    this.url = plan.address.url;
    this.registerOutputs({ url: this.url });
  }

  #import(
    name: string,
    service: Service,
    { plan, context, secrets, clients, schemaVersion }: BiArgs,
  ): void {
    runOnChange(
      name,
      stackCommand(IMPORT_COMMANDS, 600, [...clients, clientOf(plan.client, secrets)]),
      [
        contentDigest(...DIGESTED["bi-assets"]),
        service.containerId,
        schemaVersion,
        // Superset stores the password in its database connection.
        context.digest(required(secrets, plan.databaseAccount.password)),
      ],
      { parent: this, deleteBeforeReplace: true, dependsOn: [service] },
    );
  }
}
