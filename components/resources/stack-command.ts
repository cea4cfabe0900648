import type * as pulumi from "@pulumi/pulumi";
import type { ClientAccess } from "../shared/spec.ts";
import type { PipelineCommand } from "./pipeline-command.ts";
import { required, type SecretOutputs } from "./secret.ts";

/** Variables with which a command on this machine reaches a service. */
export type Client = Pick<PipelineCommand, "environment" | "secretEnvironment">;

/** Adds the values of the secrets to a plan's variables. */
export const clientOf = (
  { environment, secrets: names }: ClientAccess,
  secrets: SecretOutputs,
): Client => ({
  environment,
  secretEnvironment: Object.fromEntries(
    Object.entries(names).map(([variable, name]) => [variable, required(secrets, name)]),
  ),
});

export const stackCommand = (
  pipeline: readonly string[],
  timeoutSeconds: number,
  clients: readonly Client[],
): PipelineCommand => ({
  pipeline,
  timeoutSeconds,
  environment: Object.assign({}, ...clients.map(({ environment }) => environment)),
  secretEnvironment: Object.assign(
    {},
    ...clients.map(({ secretEnvironment }) => secretEnvironment),
  ) as Readonly<Record<string, pulumi.Output<string>>>,
});
