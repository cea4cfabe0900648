import { createHmac } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import {
  type ConfiguredSecrets,
  generatedSecret,
  ownSecret,
  type SecretOutputs,
} from "./secret.ts";

export interface SharedSecretsArgs {
  readonly configured: ConfiguredSecrets;
}

export class SharedSecrets extends pulumi.ComponentResource {
  readonly adminPassword: pulumi.Output<string>;
  readonly secrets: SecretOutputs;
  readonly #digestKey: pulumi.Output<string>;

  constructor(
    name: string,
    { configured }: SharedSecretsArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("eventpipeline:secrets:SharedSecrets", name, {}, opts);
    this.adminPassword = ownSecret("adminPassword", `${name}-admin-password`, configured, this);
    this.#digestKey = generatedSecret(`${name}-digest-key`, this);
    this.secrets = { adminPassword: this.adminPassword };
    this.registerOutputs({});
  }

  /** Keyed: other users read labels, and a plain digest would let a weak password be guessed. */
  digest(text: pulumi.Output<string>): pulumi.Output<string> {
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
