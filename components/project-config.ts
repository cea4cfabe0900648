import { readStackConfig, type StackConfig, stackSchema } from "./config.ts";
import { type Problem, refuse } from "./config-error.ts";
import { brokenRules, missingSecrets } from "./config-rules.ts";
import { isSecretName, SECRETS, type SecretName } from "./secrets.ts";
import { PROJECT } from "./shared/names.ts";

export interface ConfigValue {
  /** Text of the value, JSON for structures; null for an encrypted value that stays encrypted. */
  readonly text: string | null;
  /** True also if only a part of a structure is encrypted. */
  readonly isEncrypted: boolean;
}

export interface ProjectConfig {
  readonly config: StackConfig;
  readonly configured: ReadonlySet<SecretName>;
}

type Values = ReadonlyMap<string, ConfigValue>;

/** Validates settings and secrets. @param values by key without the project's name @throws UserError */
export const parseProjectConfig = (values: Values): ProjectConfig => parse(values, missingSecrets);

/** Validates settings; secrets may be missing. @throws UserError */
export const parseSettings = (values: Values): ProjectConfig => parse(values, () => []);

function parse(values: Values, missing: typeof missingSecrets): ProjectConfig {
  // The messages of the schema contain values, so it does not see encrypted ones.
  const settings = [...values].filter(
    ([key, value]) => !isSecretName(key) && !isEncryptedSetting(key, value) && value.text !== "",
  );
  const read = readStackConfig(
    Object.fromEntries(settings.map(([key, { text }]) => [key, structure(text ?? "")])),
  );
  const configured = new Set([...values.keys()].filter(isSecretName));
  const isWhole = ![...values].some(([key, value]) => isEncryptedSetting(key, value));
  const broken = (config: StackConfig): Problem[] =>
    isWhole ? [...brokenRules(config), ...missing(config, configured)] : [];
  const problems = [
    ...[...values].flatMap(encryptionProblems),
    ...("problems" in read ? read.problems : broken(read.config)),
  ];
  return problems.length > 0 || "problems" in read
    ? refuse(problems)
    : { config: read.config, configured };
}

const isEncryptedSetting = (key: string, { isEncrypted }: ConfigValue): boolean =>
  isEncrypted && key in stackSchema.shape;

/** Checks that exactly the secrets are encrypted. */
function encryptionProblems([key, value]: [string, ConfigValue]): Problem[] {
  const name = `${PROJECT}:${key}`;
  if (isEncryptedSetting(key, value)) {
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

/** Parses JSON; returns other text unchanged, because the schema checks it. */
export function structure(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
