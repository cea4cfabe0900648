import type * as command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { Broker } from "../broker/index.ts";
import type { Topics } from "../broker/topics.ts";
import type { Database } from "../database/index.ts";
import type { Schema } from "../database/schema.ts";
import type { Generator } from "../generator/index.ts";
import { type PipelineCommand, runOnChange } from "../resources/pipeline-command.ts";
import type { SharedSecrets } from "../resources/shared-secrets.ts";
import { stackCommand } from "../resources/stack-command.ts";
import type { Scheduler } from "../scheduler/index.ts";
import { generatorEnvironment, schedulerEnvironment } from "../shared/endpoints.ts";
import { LIVE_STEP_SECONDS, type LivePlan } from "./spec.ts";

export interface LiveArgs {
  readonly plan: LivePlan;
  readonly shared: SharedSecrets;
  readonly broker: Broker;
  readonly database: Database;
  readonly topics: Topics;
  readonly schema: Schema;
  readonly generator: Generator | null;
  readonly scheduler: Scheduler | null;
}

export class Live extends pulumi.ComponentResource {
  constructor(name: string, args: LiveArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:live:Live", name, {}, opts);
    const filled = this.#fill(name, args);
    const { plan, scheduler } = args;
    if (plan.schedule && scheduler) {
      const dependsOn = [scheduler, ...filled];
      const triggers = [scheduler.metadataIdentity];
      this.#run(`${name}-schedule`, args, [plan.schedule], triggers, dependsOn);
    }
    this.registerOutputs({});
  }

  #fill(name: string, args: LiveArgs): pulumi.Resource[] {
    const { plan, database, topics, schema, generator, scheduler } = args;
    if (plan.fill === null) return [];
    const needs = [schema, generator, scheduler].filter((one) => one !== null);
    const triggers = [database.identity, topics.version];
    const { history, load } = plan.fill;
    const written = this.#run(`${name}-history`, args, history, triggers, needs);
    return [this.#run(`${name}-load`, args, load, triggers, [written])];
  }

  #run(
    name: string,
    args: LiveArgs,
    pipeline: readonly string[],
    triggers: pulumi.Input<string>[],
    dependsOn: pulumi.Resource[],
  ): command.local.Command {
    return runOnChange(name, commandOf(pipeline, args), triggers, {
      parent: this,
      deleteBeforeReplace: true,
      dependsOn,
    });
  }
}

function commandOf(pipeline: readonly string[], args: LiveArgs): PipelineCommand {
  const { broker, database, generator, scheduler, shared } = args;
  // Longer than the command's own timeout, so that its message comes first.
  const common = stackCommand(pipeline, LIVE_STEP_SECONDS + 60, broker, database);
  return {
    ...common,
    showsOutput: true,
    environment: {
      ...common.environment,
      ...(generator ? generatorEnvironment(generator.url) : {}),
      ...(scheduler ? schedulerEnvironment(scheduler.url) : {}),
    },
    secretEnvironment: {
      ...common.secretEnvironment,
      ...(scheduler ? { AIRFLOW_PASSWORD: shared.adminPassword } : {}),
    },
  };
}
