import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { containerOptions, DO_NOT_START, limits } from "../shared/docker-workarounds.ts";
import { variables } from "../shared/shell.ts";
import type { JobSpec } from "../shared/spec.ts";
import { engineOnChange } from "./pipeline-command.ts";
import type { StackContext } from "./service.ts";
import { hardening } from "./service-container.ts";
import type { Mount } from "./volume.ts";

export interface JobArgs {
  readonly spec: JobSpec;
  readonly context: StackContext;
  readonly image: pulumi.Input<string>;
  readonly mounts: readonly Mount[];
  readonly after: readonly pulumi.Resource[];
  /** Values whose change runs the job again. */
  readonly triggers: readonly pulumi.Input<string>[];
}

/** Container that must exit with 0. `docker` starts it, because the provider ignores the exit code. */
export class Job extends pulumi.ComponentResource {
  /** Id of the run. */
  readonly runId: pulumi.Output<string>;

  constructor(name: string, args: JobArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:service:Job", name, {}, opts);
    const { spec, context, image, mounts, after, triggers } = args;
    const container = new docker.Container(
      `${name}-container`,
      {
        name: spec.name,
        image,
        user: spec.user,
        command: [...spec.command],
        envs: variables(spec.environment),
        labels: [...context.labels],
        networksAdvanced: [{ name: context.network }],
        mounts: [...mounts],
        ...limits(spec),
        ...hardening,
        ...DO_NOT_START,
      },
      { parent: this, dependsOn: [...after], ...containerOptions },
    );
    const { id } = engineOnChange(
      `${name}-run`,
      { docker: ["start", "--attach", spec.name], timeoutSeconds: spec.timeoutSeconds },
      [container.id, ...triggers],
      { parent: this, dependsOn: [...after], deleteBeforeReplace: true },
    );
    this.runId = id;
    this.registerOutputs({ runId: this.runId });
  }
}
