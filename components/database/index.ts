import * as pulumi from "@pulumi/pulumi";
import type { Broker } from "../broker/index.ts";
import { runOnUpdate } from "../resources/pipeline-command.ts";
import { configuredSecret, ownSecret, type SecretOutputs, textWith } from "../resources/secret.ts";
import { deployService, type ServiceParts, type StackContext } from "../resources/service.ts";
import { type DatabaseEndpoint, databaseEnvironment } from "../shared/endpoints.ts";
import { digestOf } from "../shared/spec.ts";
import type { DatabasePlan } from "./spec.ts";

export interface DatabaseArgs {
  readonly plan: DatabasePlan;
  readonly context: StackContext;
  readonly broker: Broker;
}

export class Database extends pulumi.ComponentResource {
  readonly endpoint: DatabaseEndpoint;
  readonly password: pulumi.Output<string>;
  readonly martsPassword: pulumi.Output<string>;
  readonly monitorPassword: pulumi.Output<string>;
  readonly secrets: AccountSecrets;
  /** Changes with every new server container; the address of an external one. */
  readonly identity: pulumi.Output<string>;

  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:database:Database", name, {}, opts);
    this.endpoint = args.plan.endpoint;
    this.secrets = args.plan.service ? this.#accounts(name, args) : externalAccount(args);
    const { databasePassword, biPassword, monitorPassword } = this.secrets;
    this.password = databasePassword;
    this.martsPassword = biPassword ?? databasePassword;
    this.monitorPassword = monitorPassword ?? databasePassword;
    const secrets = { ...this.secrets, ...args.broker.secrets };
    const parts = args.plan.service
      ? deployService(name, args.plan.service, args.context, { parent: this, secrets })
      : undefined;
    if (parts) this.#reloadOnChange(name, parts, args);
    this.identity = parts?.container.containerId ?? pulumi.output(args.plan.endpoint.hostUrl);
    this.registerOutputs({ endpoint: this.endpoint, identity: this.identity });
  }

  #accounts(name: string, { context: { configured } }: DatabaseArgs): AccountSecrets {
    return {
      databasePassword: ownSecret("databasePassword", `${name}-password`, configured, this),
      biPassword: ownSecret("biPassword", `${name}-bi-password`, configured, this),
      monitorPassword: ownSecret("monitorPassword", `${name}-monitor-password`, configured, this),
    };
  }

  #reloadOnChange(
    name: string,
    { container, configs }: ServiceParts,
    { plan, broker }: DatabaseArgs,
  ): void {
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
    const { brokerText } = plan;
    const known =
      typeof brokerText === "string"
        ? pulumi.output(brokerText)
        : textWith(brokerText, broker.secrets);
    const reload = run("reload", "reload-database", files);
    run("reopen", "reload-database --reopen", known.apply(digestOf), reload);
  }
}

type AccountSecrets = SecretOutputs & { readonly databasePassword: pulumi.Output<string> };

/** An external database has only its configured user. */
const externalAccount = ({ context: { configured } }: DatabaseArgs): AccountSecrets => ({
  databasePassword: configuredSecret("databasePassword", configured),
});
