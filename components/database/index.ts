import * as pulumi from "@pulumi/pulumi";
import type { BrokerSecrets } from "../broker/index.ts";
import { runOnUpdate } from "../resources/pipeline-command.ts";
import { configuredSecret, ownSecret, type Secrets, textWith } from "../resources/secret.ts";
import { Service, type StackContext } from "../resources/service.ts";
import { type Client, clientOf } from "../resources/stack-command.ts";
import { digestOf } from "../shared/spec.ts";
import { databaseEnvironment } from "./endpoint.ts";
import type { DatabasePlan } from "./spec.ts";

export interface DatabaseArgs {
  readonly plan: DatabasePlan;
  readonly context: StackContext;
  /** Secrets of the broker, which the server reads. */
  readonly brokerSecrets: BrokerSecrets;
}

export class Database extends pulumi.ComponentResource {
  readonly client: Client;
  readonly secrets: AccountSecrets;
  /** Id of the server container; for an external database, its address. */
  readonly serverId: pulumi.Output<string>;

  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:database:Database", name, {}, opts);
    const { plan, context, brokerSecrets } = args;
    this.secrets = plan.service ? this.#accounts(name, args) : externalAccount(args);
    this.client = clientOf(plan.client, this.secrets);
    const service =
      plan.service &&
      new Service(
        name,
        { plan: plan.service, context, secrets: { ...this.secrets, ...brokerSecrets } },
        { parent: this },
      );
    if (service) this.#reloadOnChange(name, service, args);
    this.serverId = service?.containerId ?? pulumi.output(plan.endpoint.hostUrl);
    const { client, secrets, serverId } = this;
    this.registerOutputs({ client, secrets, serverId });
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
    service: Service,
    { plan: { endpoint, brokerText }, brokerSecrets }: DatabaseArgs,
  ): void {
    const run = (
      role: string,
      pipeline: string,
      version: pulumi.Output<string>,
      ...after: pulumi.Resource[]
    ) => {
      const command = {
        pipeline: [pipeline],
        timeoutSeconds: 60,
        environment: databaseEnvironment(endpoint),
        secretEnvironment: { CLICKHOUSE_PASSWORD: this.secrets.databasePassword },
      };
      const dependsOn = [service, ...after];
      return runOnUpdate(`${name}-${role}`, command, version, { parent: this, dependsOn });
    };
    const known =
      typeof brokerText === "string"
        ? pulumi.output(brokerText)
        : textWith(brokerText, brokerSecrets);
    const reload = run("reload", "reload-database", service.filesVersion());
    run("reopen", "reload-database --reopen", known.apply(digestOf), reload);
  }
}

/** An external database has only its configured user. */
type AccountSecrets = Secrets<"databasePassword", "biPassword" | "monitorPassword">;

const externalAccount = ({ context: { configured } }: DatabaseArgs): AccountSecrets => ({
  databasePassword: configuredSecret("databasePassword", configured),
  biPassword: undefined,
  monitorPassword: undefined,
});
