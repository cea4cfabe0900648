import { UserError } from "../contract/errors.ts";
import { parseStackConfig, type StackConfig, stackSchema } from "./config.ts";
import { isSecretName, SECRETS, type SecretName, setSecretCommand } from "./secrets.ts";
import { PROJECT } from "./shared/names.ts";
import { refuseClashes } from "./shared/ports.ts";
import { refuseUnreachable } from "./shared/reachability.ts";

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
export function parseProjectConfig(values: Values): ProjectConfig {
  const parsed = parseSettings(values);
  refuseMissing(parsed);
  return parsed;
}

/** Validates settings; secrets may be missing. @throws UserError */
export function parseSettings(values: Values): ProjectConfig {
  for (const [key, { text, isEncrypted }] of values) {
    if (isSecretName(key) && !isEncrypted) throw plainText(key);
    if (isSecretName(key) && text === "") throw emptySecret(key);
    if (key === "alertWebhook" && text !== null && !ADDRESS.test(text)) throw wrongWebhook();
    if (key in stackSchema.shape && isEncrypted) throw encryptedSetting(key);
  }
  const settings = [...values].filter(([key, { text }]) => !isSecretName(key) && text !== "");
  const config = parseStackConfig(
    Object.fromEntries(settings.map(([key, { text }]) => [key, structure(text ?? "")])),
  );
  refuseUnreachable(config);
  refuseClashes(config);
  return { config, configured: new Set([...values.keys()].filter(isSecretName)) };
}

const ADDRESS = /^https?:\/\/\S+$/;

/** Error without the value, because the value is secret. */
const wrongWebhook = (): UserError =>
  new UserError(
    "alertWebhook: must be an address like https://host/path",
    `run ${setSecretCommand("alertWebhook")}`,
  );

/** Parses JSON; returns other text unchanged, because the schema checks it. */
export function structure(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const plainText = (name: SecretName): UserError =>
  new UserError(
    `${PROJECT}:${name} is in plain text in the stack's configuration. It must be encrypted.`,
    `run ${setSecretCommand(name)}`,
  );

const emptySecret = (name: SecretName): UserError =>
  new UserError(
    `${PROJECT}:${name} is empty`,
    `run ${setSecretCommand(name)}, or pulumi config rm ${PROJECT}:${name}`,
  );

/** Error for an encrypted setting, which Pulumi's state would hold in plain text. */
const encryptedSetting = (key: string): UserError =>
  new UserError(
    `${PROJECT}:${key} has an encrypted value, which Pulumi's state would hold in plain text. Only these secrets may be encrypted: ${Object.keys(SECRETS).join(", ")}`,
    `set it in plain text, or remove it and run pulumi config set --secret ${PROJECT}:<secret>`,
  );

function refuseMissing({ config: { kafka, clickhouse }, configured }: ProjectConfig): void {
  if (kafka.mode === "external" && kafka.security.mechanism && !configured.has("kafkaPassword")) {
    throw missingSecret("kafkaPassword", "kafka.security.mechanism");
  }
  if (clickhouse.mode === "external" && !configured.has("clickhousePassword")) {
    throw missingSecret("clickhousePassword", "clickhouse.mode=external");
  }
}

const missingSecret = (name: SecretName, setting: string): UserError =>
  new UserError(
    `${setting} needs the secret ${name} (${SECRETS[name]}), which is not set`,
    `run ${setSecretCommand(name)}`,
  );
