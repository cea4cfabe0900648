import * as pulumi from "@pulumi/pulumi";
import type { SchedulerPlan } from "../pipeline/stack/plan/scheduler.ts";
import { ConfigVolume } from "./configVolume.ts";
import { Job } from "./job.ts";
import { ownImage } from "./ownImage.ts";
import type { Postgres } from "./postgres.ts";
import { dataVolumes, deployService, mountable, type StackContext } from "./service.ts";

export interface SchedulerArgs {
  readonly plan: SchedulerPlan;
  readonly context: StackContext;
  readonly postgres: Postgres;
}

/** Airflow: scheduler and web server in an image of its own, behind a job that prepares both. */
export class Scheduler extends pulumi.ComponentResource {
  readonly url: string;
  /** Changes whenever its database was prepared again. */
  readonly version: pulumi.Output<string>;

  constructor(
    name: string,
    { plan, context, postgres }: SchedulerArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:scheduler:Scheduler", name, {}, opts);
    this.url = plan.url;
    const image = this.#image(`${name}-image`, plan, context.stack);
    const secrets = new ConfigVolume(
      `${name}-secrets`,
      { spec: plan.secrets, labels: context.labels, image },
      { parent: this },
    );
    // The job and both services mount them.
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
    const options = { parent: this, after: [secrets, init], builtImage: image, volumes };
    deployService(name, plan.service, context, options);
    deployService(`${name}-web`, plan.web, context, options);
    this.version = init.version;
    this.registerOutputs({ url: this.url, version: this.version });
  }

  #image(name: string, { service, baseImage, nodeImage }: SchedulerPlan, stack: string) {
    const { image } = service.container;
    const dockerfile = "airflow/Dockerfile";
    const arguments_ = { NODE: nodeImage };
    return ownImage(name, { image, baseImage, dockerfile, stack, arguments: arguments_ }, this)
      .repoDigest;
  }
}
