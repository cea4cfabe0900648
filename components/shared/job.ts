import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { runDocker } from "./commands.ts";
import { containerOptions, DO_NOT_START, type Limits, limits } from "./docker-traps.ts";
import type { Network } from "./network.ts";
import {
  type Environment,
  envsOf,
  type Files,
  hardening,
  type Mount,
  type Ready,
  uploadsOf,
} from "./service.ts";

export interface JobArgs extends Limits {
  readonly network: Network;
  readonly image: pulumi.Input<string>;
  readonly command: readonly string[];
  readonly environment: Environment;
  readonly user: string;
  readonly mounts: readonly Mount[];
  readonly files: Files;
  readonly timeoutSeconds: number;
  /** Values whose change runs the job again; so does a new container. */
  readonly triggers: readonly pulumi.Input<string>[];
  /** What has to be ready before the job starts. */
  readonly after: readonly Ready[];
}

/** Container that must exit with 0. `docker` starts it, because the provider ignores the exit code. */
export class Job extends pulumi.ComponentResource {
  /** Run that has ended. */
  readonly ready: Ready;

  constructor(name: string, args: JobArgs, opts: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Job", name, {}, opts);
    const { network, image, user, mounts, files } = args;
    const container = new docker.Container(
      name,
      {
        name: network.names.container(name),
        image,
        user,
        command: [...args.command],
        envs: envsOf(args.environment),
        networksAdvanced: [{ name: network.id }],
        mounts: [...mounts],
        uploads: uploadsOf(files),
        ...limits(args),
        ...hardening,
        ...DO_NOT_START,
      },
      { parent: this, ...containerOptions },
    );
    this.ready = runDocker(
      `${name}-run`,
      {
        docker: ["start", "--attach", network.names.container(name)],
        timeoutSeconds: args.timeoutSeconds,
        triggers: [container.id, ...args.triggers],
        after: args.after,
      },
      this,
    );
    this.registerOutputs({});
  }
}
