import * as pulumi from "@pulumi/pulumi";
import { buildImage } from "../resources/built-image.ts";
import { ConfigVolume } from "../resources/config-volume.ts";
import { Job } from "../resources/job.ts";
import { ownSecret, type Secrets } from "../resources/secret.ts";
import { Service, type StackContext } from "../resources/service.ts";
import { type Client, clientOf } from "../resources/stack-command.ts";
import { dataVolume, mountOf } from "../resources/volume.ts";
import type { SchedulerPlan } from "./spec.ts";

export interface SchedulerArgs {
  readonly plan: SchedulerPlan;
  readonly context: StackContext;
  /** Secrets of the services that the tasks use. */
  readonly secrets: Secrets<
    "adminPassword" | "databasePassword",
    "brokerPassword" | "controlToken" | TenantSecret
  >;
  /** Value that changes with the roles and databases of PostgreSQL. */
  readonly databasesVersion: pulumi.Input<string>;
  readonly dependsOn: readonly pulumi.Resource[];
}

type TenantSecret =
  | "schedulerDatabasePassword"
  | "schedulerFernetKey"
  | "schedulerPreviousFernetKey";

export class Scheduler extends pulumi.ComponentResource {
  readonly client: Client;
  readonly secrets: Secrets<"schedulerWebKey">;

  constructor(name: string, args: SchedulerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:scheduler:Scheduler", name, {}, opts);
    const { plan, context } = args;
    const webKey = ownSecret("schedulerWebKey", `${name}-web-key`, context.configured, this);
    this.secrets = { schedulerWebKey: webKey };
    const inFiles = { ...args.secrets, ...this.secrets };
    this.client = clientOf(plan.client, inFiles);
    const image = this.#image(`${name}-image`, plan, context.stack);
    const secrets = new ConfigVolume(
      `${name}-secrets`,
      { spec: plan.secrets, labels: context.labels, image, secrets: inFiles },
      { parent: this },
    );
    const logs = plan.volumes.map((spec) =>
      mountOf(dataVolume(`${name}-${spec.role}`, { spec, ...context }, this), spec.path),
    );
    const mounts = [...logs, secrets.mount];
    const init = new Job(
      `${name}-init`,
      {
        spec: plan.init,
        context,
        image,
        mounts,
        after: [secrets, ...args.dependsOn],
        triggers: [secrets.loaderId, args.databasesVersion],
      },
      { parent: this },
    );
    const common = { context, dependsOn: [secrets, init], image, mounts, secrets: inFiles };
    new Service(name, { plan: plan.service, ...common }, { parent: this });
    new Service(`${name}-web`, { plan: plan.web, ...common }, { parent: this });
    this.registerOutputs({ client: this.client, secrets: this.secrets });
  }

  #image(name: string, { service, baseImages: [baseImage, node] }: SchedulerPlan, stack: string) {
    const { image } = service.container;
    const dockerfile = "airflow/Dockerfile";
    const arguments_ = { NODE: node };
    return buildImage(name, { image, baseImage, dockerfile, stack, arguments: arguments_ }, this)
      .repoDigest;
  }
}
