import * as pulumi from "@pulumi/pulumi";
import { engineOnChange } from "../resources/pipeline-command.ts";
import { encryptionKeys, ownSecret, type SecretOutputs } from "../resources/secret.ts";
import { deployService, type StackContext } from "../resources/service.ts";
import { DATABASES, type PostgresPlan } from "./spec.ts";

export interface PostgresArgs {
  readonly plan: PostgresPlan;
  readonly context: StackContext;
}

/** Owns the encryption keys, because the data of a disabled service stay. */
export class Postgres extends pulumi.ComponentResource {
  readonly identity: pulumi.Output<string>;
  readonly version: pulumi.Output<string>;
  readonly secrets: SecretOutputs;

  constructor(
    name: string,
    { plan, context }: PostgresArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:postgres:Postgres", name, {}, opts);
    this.secrets = { ...this.#passwords(name, plan, context), ...this.#keys(plan, context) };
    const options = { parent: this, secrets: this.secrets };
    const { container, configs } = deployService(name, plan.service, context, options);
    const databases = engineOnChange(
      `${name}-databases`,
      { docker: ["exec", ...plan.apply], timeoutSeconds: 120 },
      [container.containerId, ...configs.map(({ loaderId }) => loaderId)],
      { parent: this, deleteBeforeReplace: true },
    );
    this.identity = container.containerId;
    this.version = databases.id;
    this.registerOutputs({ identity: this.identity, version: this.version });
  }

  #passwords(name: string, { tenants }: PostgresPlan, { configured }: StackContext): SecretOutputs {
    const own = ownSecret("postgresPassword", `${name}-password`, configured, this);
    const others = tenants.map((tenant) => {
      const secret = DATABASES[tenant].password;
      return [secret, ownSecret(secret, `${name}-${tenant}-password`, configured, this)] as const;
    });
    return { postgresPassword: own, ...Object.fromEntries(others) };
  }

  #keys({ keys }: PostgresPlan, { configured, protectData }: StackContext): SecretOutputs {
    const args = { configured, isProtected: protectData };
    const made = keys.map((key) => Object.entries(encryptionKeys({ ...key, ...args }, this)));
    return Object.fromEntries(made.flat());
  }
}
