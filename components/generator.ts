import * as pulumi from "@pulumi/pulumi";
import type { GeneratorPlan } from "../pipeline/stack/plan/generator.ts";
import { ownImage } from "./ownImage.ts";
import { deployService, type StackContext } from "./service.ts";
import type { Topics } from "./topics.ts";

export interface GeneratorArgs {
  readonly plan: GeneratorPlan;
  readonly context: StackContext;
  readonly topics: Topics;
}

/** The event generator in an image of its own, with its data, its token and its control endpoint. */
export class Generator extends pulumi.ComponentResource {
  readonly url: string;

  constructor(
    name: string,
    { plan, context, topics }: GeneratorArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:generator:Generator", name, {}, opts);
    this.url = plan.url;
    const image = ownImage(
      `${name}-image`,
      {
        image: plan.service.container.image,
        baseImage: plan.baseImage,
        dockerfile: "images/generator/Dockerfile",
        stack: context.stack,
      },
      this,
    );
    deployService(name, plan.service, context, {
      parent: this,
      // Not after the schema: what it sends meanwhile waits in the topics.
      after: [topics],
      builtImage: image.repoDigest,
    });
    this.registerOutputs({ url: this.url });
  }
}
