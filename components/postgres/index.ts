import * as pulumi from "@pulumi/pulumi";
import { engineOnChange } from "../resources/pipeline-command.ts";
import {
  encryptionKeys,
  ownSecret,
  type SecretOutputs,
  type Secrets,
} from "../resources/secret.ts";
import { Service, type StackContext } from "../resources/service.ts";
import { DATABASES, type PostgresPlan, type PostgresTenant } from "./spec.ts";

export interface PostgresArgs {
  readonly plan: PostgresPlan;
  readonly context: StackContext;
}

/** Postgres with its databases; owns the encryption keys, because data of a disabled service stay. */
export class Postgres extends pulumi.ComponentResource {
  readonly serverId: pulumi.Output<string>;
  readonly version: pulumi.Output<string>;
  readonly secrets: PostgresSecrets;

  constructor(
    name: string,
    { plan, context }: PostgresArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:postgres:Postgres", name, {}, opts);
    this.secrets = { ...this.#passwords(name, plan, context), ...this.#keys(plan, context) };
    const { secrets } = this;
    const service = new Service(name, { plan: plan.service, context, secrets }, { parent: this });
    const databases = engineOnChange(
      `${name}-databases`,
      { docker: ["exec", ...plan.apply], timeoutSeconds: 120 },
      [service.containerId, service.filesVersion()],
      { parent: this, deleteBeforeReplace: true },
    );
    this.serverId = service.containerId;
    this.version = databases.id;
    const { serverId, version } = this;
    this.registerOutputs({ serverId, version, secrets });
  }

  #passwords(name: string, { tenants }: PostgresPlan, { configured }: StackContext) {
    const password = (tenant: PostgresTenant) =>
      tenants.includes(tenant)
        ? ownSecret(DATABASES[tenant].password, `${name}-${tenant}-password`, configured, this)
        : undefined;
    return {
      postgresPassword: ownSecret("postgresPassword", `${name}-password`, configured, this),
      schedulerDatabasePassword: password("scheduler"),
      biDatabasePassword: password("bi"),
    };
  }

  #keys({ keys }: PostgresPlan, { configured, protectData }: StackContext) {
    const args = { configured, isProtected: protectData };
    const made: SecretOutputs = Object.assign(
      {},
      ...keys.map((key) => encryptionKeys({ ...key, ...args }, this)),
    );
    const { biSecretKey, biPreviousSecretKey } = made;
    const { schedulerFernetKey, schedulerPreviousFernetKey } = made;
    return { biSecretKey, biPreviousSecretKey, schedulerFernetKey, schedulerPreviousFernetKey };
  }
}

/** Passwords of enabled services, and all encryption keys; a previous key may not exist. */
type PostgresSecrets = Secrets<
  "postgresPassword",
  | ("schedulerDatabasePassword" | "schedulerFernetKey" | "schedulerPreviousFernetKey")
  | ("biDatabasePassword" | "biSecretKey" | "biPreviousSecretKey")
>;
