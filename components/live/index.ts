import type * as command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { runOnChange } from "../resources/pipeline-command.ts";
import { type Client, stackCommand } from "../resources/stack-command.ts";
import { LIVE_STEP_SECONDS, type LivePlan } from "./spec.ts";

export interface LiveArgs {
  readonly plan: LivePlan;
  readonly clients: readonly Client[];
  /** Values whose change fills the layers again. */
  readonly triggers: pulumi.Input<string>[];
  /** Id of the server that stores Airflow's metadata, such as paused DAGs; undefined without Airflow. */
  readonly metadataServerId: pulumi.Input<string> | undefined;
  readonly dependsOn: pulumi.Resource[];
}

/** Live mode: history, first load and scheduled loads; in bare mode it only pauses the schedule. */
export class Live extends pulumi.ComponentResource {
  /** Id of the first load; null in bare mode. */
  readonly loadId: pulumi.Output<string> | null;

  constructor(name: string, args: LiveArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:live:Live", name, {}, opts);
    const { plan, metadataServerId, dependsOn } = args;
    const loaded = this.#fill(name, args);
    this.loadId = loaded?.id ?? null;
    if (plan.schedule && metadataServerId) {
      const needs = [...dependsOn, ...(loaded ? [loaded] : [])];
      this.#run(`${name}-schedule`, args, [plan.schedule], [metadataServerId], needs);
    }
    this.registerOutputs({ loadId: this.loadId });
  }

  #fill(name: string, args: LiveArgs): command.local.Command | null {
    const { plan, triggers, dependsOn } = args;
    if (plan.fill === null) return null;
    const { history, load } = plan.fill;
    const written = this.#run(`${name}-history`, args, history, triggers, dependsOn);
    return this.#run(`${name}-load`, args, load, triggers, [written]);
  }

  #run(
    name: string,
    { clients }: LiveArgs,
    pipeline: readonly string[],
    triggers: pulumi.Input<string>[],
    dependsOn: pulumi.Resource[],
  ): command.local.Command {
    // This timeout exceeds the command's own, so that the command reports first.
    const run = { ...stackCommand(pipeline, LIVE_STEP_SECONDS + 60, clients), showsOutput: true };
    return runOnChange(name, run, triggers, { parent: this, deleteBeforeReplace: true, dependsOn });
  }
}
