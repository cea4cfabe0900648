import { z } from "zod";
import { UserError } from "../../../contract/errors.ts";
import { isSecretName, type SecretValues, secrets } from "../secrets.ts";
import { pulumiText } from "./pulumi.ts";

const outputsSchema = z.looseObject({ secrets: z.record(z.string(), z.string()).optional() });

/**
 * Secrets of a stack that was up, from its outputs.
 * @throws UserError where it has none yet
 */
export async function readSecrets(stack: string): Promise<SecretValues> {
  const show = ["stack", "output", "--json", "--show-secrets", "--stack", stack];
  const outputs = outputsSchema.parse(JSON.parse(await pulumiText(stack, ...show)));
  if (outputs.secrets) return outputs.secrets;
  throw new UserError(`The stack ${stack} has no secrets yet.`, `make up STACK=${stack}`);
}

/** Names and values as a person reads them. */
export const renderSecrets = (values: SecretValues): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}  ${value}  (${isSecretName(name) ? secrets[name] : ""})`)
    .join("\n");
