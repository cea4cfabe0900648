import { parseJson } from "../contract/json.ts";
import { type StackSettings, stackSchema } from "./config.ts";
import { type Problem, refuse } from "./config-error.ts";
import { isSecretName, SECRETS, type SecretName } from "./secrets.ts";
import { PROJECT } from "./shared/names.ts";

export interface ConfigValue {
  /** Text of the value, JSON for structures; null for an encrypted value that stays encrypted. */
  readonly text: string | null;
  /** True also if only a part of a structure is encrypted. */
  readonly isEncrypted: boolean;
}

export interface ProjectConfig {
  /** Settings, not validated yet. */
  readonly settings: StackSettings;
  /** Names of the secrets that are set. */
  readonly secrets: ReadonlySet<SecretName>;
}

/**
 * Separates settings from secrets. @param values by key without the project's name
 * @throws UserError unless exactly the secrets are encrypted
 */
export function readProjectConfig(values: ReadonlyMap<string, ConfigValue>): ProjectConfig {
  const problems = [...values].flatMap(encryptionProblems);
  if (problems.length > 0) refuse(problems);
  const settings = [...values].filter(([key, { text }]) => !isSecretName(key) && text !== "");
  return {
    // Other text than JSON is left to the schema.
    settings: Object.fromEntries(
      settings.map(([key, { text }]) => [key, parseJson(text ?? "", text ?? "")]),
    ),
    secrets: new Set([...values.keys()].filter(isSecretName)),
  };
}

function encryptionProblems([key, value]: [string, ConfigValue]): Problem[] {
  const name = `${PROJECT}:${key}`;
  if (value.isEncrypted && key in stackSchema.shape) {
    return [
      {
        message: `${name} has an encrypted value, which Pulumi's state would hold in plain text. Only these secrets may be encrypted: ${Object.keys(SECRETS).join(", ")}`,
        hint: `set it in plain text, or remove it and run npx pulumi config set --secret ${PROJECT}:<secret>`,
      },
    ];
  }
  const message = isSecretName(key) ? wrongSecret(key, value) : undefined;
  if (message === undefined) return [];
  const other = value.text === "" ? `, or npx pulumi config rm ${name}` : "";
  return [{ message, hint: `run npx pulumi config set --secret ${name}${other}` }];
}

/** Says what is wrong with a secret, without its value. */
function wrongSecret(secret: SecretName, { text, isEncrypted }: ConfigValue): string | undefined {
  const name = `${PROJECT}:${secret}`;
  if (!isEncrypted) {
    return `${name} is in plain text in the stack's configuration. It must be encrypted.`;
  }
  if (text === "") return `${name} is empty`;
  return secret === "alertWebhook" && text !== null && !/^https?:\/\/\S+$/.test(text)
    ? "alertWebhook: must be an address like https://host/path"
    : undefined;
}
