import * as pulumi from "@pulumi/pulumi";
import type { Broker } from "../broker/index.ts";
import type { Database } from "../database/index.ts";
import type { Generator } from "../generator/index.ts";
import type { Postgres } from "../postgres/index.ts";
import { ConfigVolume } from "../resources/config-volume.ts";
import { Job } from "../resources/job.ts";
import { ownImage } from "../resources/own-image.ts";
import { ownSecret, type SecretOutputs } from "../resources/secret.ts";
import { dataVolumes, deployService, mountable, type StackContext } from "../resources/service.ts";
import type { SharedSecrets } from "../resources/shared-secrets.ts";
import type { SchedulerPlan } from "./spec.ts";

export interface SchedulerArgs {
  readonly plan: SchedulerPlan;
  readonly context: StackContext;
  readonly shared: SharedSecrets;
  readonly postgres: Postgres;
  readonly broker: Broker;
  readonly database: Database;
  readonly generator: Generator | null;
}

export class Scheduler extends pulumi.ComponentResource {
  readonly url: string;
  /** Changes with the server of its metadata, such as paused DAGs. */
  readonly metadataIdentity: pulumi.Output<string>;
  readonly secrets: SecretOutputs;

  constructor(name: string, args: SchedulerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:scheduler:Scheduler", name, {}, opts);
    const { plan, context, postgres } = args;
    this.url = plan.url;
    const webKey = ownSecret("schedulerWebKey", `${name}-web-key`, context.configured, this);
    this.secrets = { schedulerWebKey: webKey };
    const inFiles = { ...this.secrets, ...secretsOfOthers(args) };
    const image = this.#image(`${name}-image`, plan, context.stack);
    const secrets = new ConfigVolume(
      `${name}-secrets`,
      { spec: plan.secrets, labels: context.labels, image, secrets: inFiles },
      { parent: this },
    );
    const volumes = new Map([...dataVolumes(name, plan, context, this), ...mountable([secrets])]);
    const init = new Job(
      `${name}-init`,
      {
        spec: plan.init,
        context,
        image,
        volumes,
        after: [secrets, postgres],
        triggers: [secrets.loaderId, postgres.version],
      },
      { parent: this },
    );
    const options = {
      parent: this,
      after: [secrets, init],
      builtImage: image,
      volumes,
      secrets: inFiles,
    };
    deployService(name, plan.service, context, options);
    deployService(`${name}-web`, plan.web, context, options);
    this.metadataIdentity = postgres.identity;
    this.registerOutputs({ url: this.url, metadataIdentity: this.metadataIdentity });
  }

  #image(name: string, { service, baseImage, nodeImage }: SchedulerPlan, stack: string) {
    const { image } = service.container;
    const dockerfile = "airflow/Dockerfile";
    const arguments_ = { NODE: nodeImage };
    return ownImage(name, { image, baseImage, dockerfile, stack, arguments: arguments_ }, this)
      .repoDigest;
  }
}

const secretsOfOthers = ({ shared, postgres, broker, database, generator }: SchedulerArgs) => ({
  ...shared.secrets,
  ...postgres.secrets,
  ...broker.secrets,
  ...database.secrets,
  ...generator?.secrets,
});
