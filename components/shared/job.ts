import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { dockerCommand } from "./commands.ts";
import { containerOptions, DO_NOT_START } from "./docker-traps.ts";
import { type ContainerArgs, containerInputs } from "./service.ts";
import { joined, type Use } from "./use.ts";

export interface JobArgs extends ContainerArgs {
  /** Id of a built image. */
  readonly image: pulumi.Output<string>;
  readonly timeoutSeconds: number;
  /** Values whose change runs the job again; so does a new container. */
  readonly triggers: readonly pulumi.Input<string>[];
}

/** Container that must exit with 0. `docker` starts it, because the provider ignores the exit code. */
export class Job extends pulumi.ComponentResource {
  /** Run that has ended. */
  readonly use: Use;

  constructor(name: string, args: JobArgs, opts: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Job", name, {}, opts);
    const inputs = containerInputs(name, args);
    const container = new docker.Container(
      name,
      { ...inputs, ...DO_NOT_START },
      { parent: this, ...containerOptions },
    );
    const run = dockerCommand(
      `${name}-run`,
      {
        docker: ["start", "--attach", inputs.name],
        timeoutSeconds: args.timeoutSeconds,
        triggers: [container.id, ...args.triggers],
        uses: [{ ready: joined(args.uses ?? []).ready }],
      },
      this,
    );
    this.use = { ready: [run] };
  }
}
