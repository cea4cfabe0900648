import { z } from "zod";
import { isSecretName, secrets } from "../../components/secrets.ts";
import type { SecretValues } from "../../components/shared/secret-text.ts";
import { UserError } from "../../contract/errors.ts";
import { withPulumiErrors } from "./pulumi-errors.ts";
import { openStack, requireStack } from "./workspace.ts";

const secretsSchema = z.record(z.string(), z.string()).optional();

/** @throws UserError if the stack does not exist, or was never up */
export async function readSecrets(name: string): Promise<SecretValues> {
  await requireStack(name);
  const stack = await openStack(name);
  const outputs = await withPulumiErrors(() => stack.outputs());
  const values = secretsSchema.parse(outputs.secrets?.value);
  if (values) return values;
  throw new UserError(`The stack ${name} has no secrets yet`, `make up STACK=${name}`);
}

export const renderSecrets = (values: SecretValues): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}  ${value}  (${isSecretName(name) ? secrets[name] : ""})`)
    .join("\n");
