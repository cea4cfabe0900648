import * as pulumi from "@pulumi/pulumi";
import type { BrokerSecrets } from "../broker/index.ts";
import { buildImage } from "../resources/built-image.ts";
import type { Secrets } from "../resources/secret.ts";
import { Service, type StackContext } from "../resources/service.ts";
import type { IngestPlan } from "./spec.ts";

export interface IngestArgs {
  readonly plan: IngestPlan;
  readonly context: StackContext;
  readonly secrets: BrokerSecrets & Secrets<"databasePassword">;
  /** The schema, because the service stores into its tables. */
  readonly dependsOn: readonly pulumi.Resource[];
}

/** Reads the topics and stores them in the database, which has no Kafka engine. */
export class Ingest extends pulumi.ComponentResource {
  constructor(name: string, args: IngestArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:ingest:Ingest", name, {}, opts);
    const { plan, context, secrets, dependsOn } = args;
    const image = buildImage(
      `${name}-image`,
      {
        image: plan.service.container.image,
        baseImage: plan.baseImages[0],
        dockerfile: "images/ingest/Dockerfile",
        stack: context.stack,
      },
      this,
    );
    new Service(
      name,
      { plan: plan.service, context, dependsOn, image: image.repoDigest, secrets },
      { parent: this },
    );
    this.registerOutputs({});
  }
}
