import * as pulumi from "@pulumi/pulumi";
import { type Client, joinClients } from "./commands.ts";
import type { Page } from "./page.ts";
import type { SecretOutputs } from "./secrets.ts";

/** What a service shows to people and to commands on this machine. */
interface Shown {
  readonly page?: Page | undefined;
  readonly client?: Client;
  readonly secrets?: SecretOutputs;
}

/** Returns the stack's outputs: pages for people, variables for commands, and all secrets. */
export function outputsOf(services: Readonly<Record<string, Shown | undefined>>) {
  const shown = Object.entries(services).flatMap(([service, one]) =>
    one ? [{ ...one, service }] : [],
  );
  const { environment } = joinClients(...shown.map((one) => one.client));
  const secrets: SecretOutputs = Object.assign({}, ...shown.map((one) => one.secrets));
  return {
    pages: shown.flatMap(({ service, page }) => (page ? [{ service, ...page }] : [])),
    client: pulumi.secret(environment),
    secrets: pulumi.secret(secrets),
  };
}
