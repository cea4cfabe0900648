import * as pulumi from "@pulumi/pulumi";
import { type DatabaseEndpoint, databaseEnvironment } from "../pipeline/stack/endpoints.ts";
import type { DatabasePlan } from "../pipeline/stack/plan/database.ts";
import { runOnUpdate } from "./pipelineCommand.ts";
import { deployService, type ServiceParts, type StackContext } from "./service.ts";

export interface DatabaseArgs {
  readonly plan: DatabasePlan;
  readonly context: StackContext;
}

/** ClickHouse: one server in a container, or the address of an external one. */
export class Database extends pulumi.ComponentResource {
  readonly endpoint: DatabaseEndpoint;
  /** Password of the endpoint's user. */
  readonly password: pulumi.Output<string>;
  /** Changes whenever a new server runs; the address alone for an external one. */
  readonly identity: pulumi.Output<string>;

  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:database:Database", name, {}, opts);
    this.endpoint = args.plan.endpoint;
    this.password = args.context.passwords.database;
    const parts = args.plan.service
      ? deployService(name, args.plan.service, args.context, { parent: this })
      : undefined;
    if (parts) this.#reloadOnChange(name, parts, args.plan);
    this.identity = parts?.container.containerId ?? pulumi.output(args.plan.endpoint.hostUrl);
    this.registerOutputs({ endpoint: this.endpoint, identity: this.identity });
  }

  #reloadOnChange(name: string, { container, configs }: ServiceParts, plan: DatabasePlan): void {
    const files = pulumi.all(configs.map((config) => config.loaderId)).apply((ids) => ids.join());
    const run = (
      role: string,
      pipeline: string,
      version: pulumi.Output<string>,
      ...after: pulumi.Resource[]
    ) => {
      const command = {
        pipeline: [pipeline],
        timeoutSeconds: 60,
        environment: databaseEnvironment(this.endpoint),
        secretEnvironment: { CLICKHOUSE_PASSWORD: this.password },
      };
      const dependsOn = [container, ...configs, ...after];
      return runOnUpdate(`${name}-${role}`, command, version, { parent: this, dependsOn });
    };
    const reload = run("reload", "reload-database", files);
    run("reopen", "reload-database --reopen", pulumi.secret(plan.brokerDigest), reload);
  }
}
