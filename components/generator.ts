import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { GeneratorPlan } from "../pipeline/stack/plan/generator.ts";
import { ROOT } from "./pipelineCommand.ts";
import type { Schema } from "./schema.ts";
import { deployService, type StackContext } from "./service.ts";
import type { Topics } from "./topics.ts";

export interface GeneratorArgs {
  readonly plan: GeneratorPlan;
  readonly context: StackContext;
  readonly topics: Topics;
  readonly schema: Schema;
}

/** The event generator in an image of its own, with its data, its token and its control endpoint. */
export class Generator extends pulumi.ComponentResource {
  readonly url: string;

  constructor(
    name: string,
    { plan, context, topics, schema }: GeneratorArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:generator:Generator", name, {}, opts);
    this.url = plan.url;
    const image = ownImage(`${name}-image`, plan, context.stack, this);
    deployService(name, plan.service, context, {
      parent: this,
      after: [topics, schema],
      builtImage: image.repoDigest,
    });
    this.registerOutputs({ url: this.url });
  }
}

/** Rebuilt when a file of its build context changes; labelled, so that a clean-up finds it. */
const ownImage = (
  name: string,
  plan: GeneratorPlan,
  stack: string,
  parent: pulumi.Resource,
): docker.Image =>
  new docker.Image(
    name,
    {
      imageName: plan.service.container.image,
      skipPush: true,
      build: {
        context: ROOT,
        dockerfile: `${ROOT}/images/generator/Dockerfile`,
        args: { BASE: plan.baseImage, STACK: stack },
        platform: `linux/${process.arch === "x64" ? "amd64" : process.arch}`,
        builderVersion: docker.BuilderVersion.BuilderBuildKit,
      },
    },
    { parent },
  );
