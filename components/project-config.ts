import { readStackConfig, type StackConfig, stackSchema } from "./config.ts";
import { type Problem, refuse } from "./config-error.ts";
import { brokenRules, missingSecrets } from "./config-rules.ts";
import { isSecretName, SECRETS, type SecretName, setSecretCommand } from "./secrets.ts";
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
  const settings = [...values].filter(([key, { text }]) => !isSecretName(key) && text !== "");
  const read = readStackConfig(
    Object.fromEntries(settings.map(([key, { text }]) => [key, structure(text ?? "")])),
  );
  const configured = new Set([...values.keys()].filter(isSecretName));
  const problems = [
    ...[...values].flatMap(encryptionProblems),
    ...("problems" in read
      ? read.problems
      : [...brokenRules(read.config), ...missing(read.config, configured)]),
  ];
  return problems.length > 0 || "problems" in read
    ? refuse(problems)
    : { config: read.config, configured };
}

/** Checks that exactly the secrets are encrypted. The messages have no value, because it is secret. */
function encryptionProblems([key, { text, isEncrypted }]: [string, ConfigValue]): Problem[] {
  const name = `${PROJECT}:${key}`;
  if (!isSecretName(key)) {
    if (!isEncrypted || !(key in stackSchema.shape)) return [];
    return [
      {
        message: `${name} has an encrypted value, which Pulumi's state would hold in plain text. Only these secrets may be encrypted: ${Object.keys(SECRETS).join(", ")}`,
        hint: `set it in plain text, or remove it and run pulumi config set --secret ${PROJECT}:<secret>`,
      },
    ];
  }
  const message = isEncrypted
    ? wrongSecret(key, text)
    : `${name} is in plain text in the stack's configuration. It must be encrypted.`;
  if (message === undefined) return [];
  const other = text === "" ? `, or pulumi config rm ${name}` : "";
  return [{ message, hint: `run ${setSecretCommand(key)}${other}` }];
}

function wrongSecret(name: SecretName, text: string | null): string | undefined {
  if (text === "") return `${PROJECT}:${name} is empty`;
  return name === "alertWebhook" && text !== null && !/^https?:\/\/\S+$/.test(text)
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
