import { createHmac } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { type ConfiguredSecrets, generatedSecret, ownSecret, type Secrets } from "./secret.ts";

export interface SharedSecretsArgs {
  readonly configured: ConfiguredSecrets;
}

export class SharedSecrets extends pulumi.ComponentResource {
  readonly secrets: Secrets<"adminPassword">;
  readonly #digestKey: pulumi.Output<string>;

  constructor(
    name: string,
    { configured }: SharedSecretsArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:secrets:SharedSecrets", name, {}, opts);
    this.#digestKey = generatedSecret(`${name}-digest-key`, this);
    this.secrets = {
      adminPassword: ownSecret("adminPassword", `${name}-admin-password`, configured, this),
    };
    this.registerOutputs({ secrets: this.secrets });
  }

  /** Keyed digest: labels are public, and a plain digest would help to guess a weak password. */
  digest(text: pulumi.Input<string>): pulumi.Output<string> {
    const digest = pulumi
      .all([this.#digestKey, text])
      .apply(([key, content]) =>
        createHmac("sha256", key)
          .update(`${pulumi.getStack()}\0${content}`)
          .digest("hex")
          .slice(0, 16),
      );
    return pulumi.unsecret(digest);
  }
}
