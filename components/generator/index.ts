import * as pulumi from "@pulumi/pulumi";
import type { BrokerSecrets } from "../broker/index.ts";
import { buildImage } from "../resources/built-image.ts";
import { runAlways, runOnChange } from "../resources/pipeline-command.ts";
import { ownSecret, type Secrets } from "../resources/secret.ts";
import { Service, type StackContext } from "../resources/service.ts";
import { type Client, stackCommand } from "../resources/stack-command.ts";
import { HEALTHY_WITHIN_SECONDS } from "../shared/docker-workarounds.ts";
import type { GeneratorPlan } from "./spec.ts";

const CHECKED_WITHIN_SECONDS = 60;

export interface GeneratorArgs {
  readonly plan: GeneratorPlan;
  readonly context: StackContext;
  readonly brokerClient: Client;
  readonly brokerSecrets: BrokerSecrets;
  readonly dependsOn: readonly pulumi.Resource[];
}

/** Answer of `generator check-settings --json`. */
interface SettingsCheck {
  readonly changes: readonly string[];
  readonly refusal?: string;
}

export class Generator extends pulumi.ComponentResource {
  /** Access to the generator's public status endpoint. */
  readonly client: Client;
  readonly secrets: Secrets<"controlToken">;

  constructor(
    name: string,
    { plan, context, brokerClient, brokerSecrets, dependsOn }: GeneratorArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:generator:Generator", name, {}, opts);
    this.client = { environment: plan.client.environment, secretEnvironment: {} };
    const token = ownSecret("controlToken", `${name}-control-token`, context.configured, this);
    this.secrets = { controlToken: token };
    const image = buildImage(
      `${name}-image`,
      {
        image: plan.service.container.image,
        baseImage: plan.baseImages[0],
        dockerfile: "images/generator/Dockerfile",
        stack: context.stack,
      },
      this,
    );
    const checked = this.#checkSettings(plan, brokerClient);
    const service = new Service(
      name,
      {
        plan: plan.service,
        context,
        dependsOn,
        // A refused change of the settings fails before the container is replaced.
        image: pulumi.all([image.repoDigest, checked]).apply(([digest]) => digest),
        secrets: { ...this.secrets, ...brokerSecrets },
      },
      { parent: this },
    );
    this.#waitForReady(`${name}-ready`, plan, service);
    const { client, secrets } = this;
    this.registerOutputs({ client, secrets });
  }

  /** Prints settings that apply from now on; fails if the stored data cannot go on with them. */
  #checkSettings({ settings }: GeneratorPlan, broker: Client): pulumi.Output<string> {
    const client = { ...broker, environment: { ...settings, ...broker.environment } };
    const run = stackCommand(["generator check-settings --json"], CHECKED_WITHIN_SECONDS, [client]);
    return runAlways(run, { parent: this }).apply((text) => {
      const { changes, refusal } = JSON.parse(text) as SettingsCheck;
      if (refusal) throw new pulumi.RunError(refusal);
      for (const change of changes) pulumi.log.info(`Generator: ${change}`, this);
      return text;
    });
  }

  /** Waits until the generator is ready; fails at once if the generator refuses its settings. */
  #waitForReady(name: string, { ready }: GeneratorPlan, service: Service): void {
    const run = stackCommand([ready], HEALTHY_WITHIN_SECONDS + 60, [this.client]);
    const opts = { parent: this, deleteBeforeReplace: true, dependsOn: [service] };
    runOnChange(name, run, [service.containerId], opts);
  }
}
