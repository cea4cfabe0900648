import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { variables } from "../shared/shell.ts";
import type { JobSpec } from "../shared/spec.ts";
import { engineOnChange } from "./pipeline-command.ts";
import type { StackContext } from "./service.ts";
import { hardening, limits, mountsOf, REPLACING } from "./service-container.ts";
import type { Volumes } from "./volume.ts";

export interface JobArgs {
  readonly spec: JobSpec;
  readonly context: StackContext;
  readonly image: pulumi.Output<string>;
  readonly volumes: Volumes;
  readonly after: readonly pulumi.Resource[];
  /** A change runs it again. */
  readonly triggers: readonly pulumi.Input<string>[];
}

/** It must succeed: the provider ignores the exit code, so the engine's client starts it. */
export class Job extends pulumi.ComponentResource {
  constructor(name: string, args: JobArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:service:Job", name, {}, opts);
    const { spec, context, image, volumes, after, triggers } = args;
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
        mounts: mountsOf(spec.mounts, volumes),
        ...limits(spec),
        ...hardening,
        start: false,
        mustRun: false,
      },
      {
        parent: this,
        dependsOn: [...after],
        replaceOnChanges: [...REPLACING],
        deleteBeforeReplace: true,
      },
    );
    engineOnChange(
      `${name}-run`,
      { docker: ["start", "--attach", spec.name], timeoutSeconds: spec.timeoutSeconds },
      [container.id, ...triggers],
      { parent: this, dependsOn: [...after], deleteBeforeReplace: true },
    );
    this.registerOutputs({});
  }
}
