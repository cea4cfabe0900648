import * as pulumi from "@pulumi/pulumi";
import type { Broker } from "../broker/index.ts";
import type { Topics } from "../broker/topics.ts";
import { ownImage } from "../resources/own-image.ts";
import { runOnChange } from "../resources/pipeline-command.ts";
import { ownSecret, type SecretOutputs } from "../resources/secret.ts";
import { deployService, type StackContext } from "../resources/service.ts";
import type { ServiceContainer } from "../resources/service-container.ts";
import { generatorEnvironment } from "../shared/endpoints.ts";
import { HEALTHY_WITHIN_SECONDS } from "../shared/spec.ts";
import type { GeneratorPlan } from "./spec.ts";

export interface GeneratorArgs {
  readonly plan: GeneratorPlan;
  readonly context: StackContext;
  readonly broker: Broker;
  readonly topics: Topics;
}

export class Generator extends pulumi.ComponentResource {
  readonly url: string;
  readonly secrets: SecretOutputs;

  constructor(
    name: string,
    { plan, context, broker, topics }: GeneratorArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:generator:Generator", name, {}, opts);
    this.url = plan.url;
    const token = ownSecret("controlToken", `${name}-control-token`, context.configured, this);
    this.secrets = { controlToken: token };
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
    const { container } = deployService(name, plan.service, context, {
      parent: this,
      // Does not depend on the schema, because messages wait in the topics.
      after: [topics],
      builtImage: image.repoDigest,
      secrets: { ...this.secrets, ...broker.secrets },
    });
    this.#untilReady(`${name}-ready`, plan, container);
    this.registerOutputs({ url: this.url });
  }

  /** Fails immediately with its reason if it refuses its settings. */
  #untilReady(name: string, { url, ready }: GeneratorPlan, container: ServiceContainer): void {
    const run = {
      pipeline: [ready],
      timeoutSeconds: HEALTHY_WITHIN_SECONDS + 60,
      environment: generatorEnvironment(url),
      secretEnvironment: {},
    };
    const opts = { parent: this, deleteBeforeReplace: true, dependsOn: [container] };
    runOnChange(name, run, [container.containerId], opts);
  }
}
