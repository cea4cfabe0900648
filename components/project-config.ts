import { UserError } from "../contract/errors.ts";
import { parseStackConfig, type StackConfig, TOP_KEYS } from "./config.ts";
import {
  isSecretName,
  missingSecret,
  type SecretName,
  secrets,
  setSecretCommand,
} from "./secrets.ts";
import { PROJECT } from "./shared/names.ts";

export interface ConfigValue {
  /** Structures are JSON. Null for an encrypted value that is not decrypted here. */
  readonly text: string | null;
  /** Also if only a part of a structure is encrypted. */
  readonly isEncrypted: boolean;
}

export interface ProjectConfig {
  readonly config: StackConfig;
  readonly configured: ReadonlySet<SecretName>;
}

/** @param values by key without the project's name @throws UserError */
export function parseProjectConfig(values: ReadonlyMap<string, ConfigValue>): ProjectConfig {
  for (const [key, { text, isEncrypted }] of values) {
    if (isSecretName(key) && !isEncrypted) throw plainText(key);
    if (key === "alertWebhook" && text !== null && !ADDRESS.test(text)) throw wrongWebhook();
    if (TOP_KEYS.includes(key) && isEncrypted) throw encryptedSetting(key);
  }
  const settings = [...values].filter(([key, { text }]) => !isSecretName(key) && text !== "");
  const config = parseStackConfig(
    Object.fromEntries(settings.map(([key, { text }]) => [key, structure(text ?? "")])),
  );
  const configured = new Set([...values.keys()].filter(isSecretName));
  refuseMissing(config, configured);
  return { config, configured };
}

const ADDRESS = /^https?:\/\/\S+$/;

/** The value is secret, so the message does not have it. */
const wrongWebhook = (): UserError =>
  new UserError(
    "alertWebhook: must be an address like https://host/path",
    setSecretCommand("alertWebhook"),
  );

/** The schema checks text that is not JSON. */
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
    setSecretCommand(name),
  );

/** Only secrets with a name of their own stay secret in Pulumi's state. */
const encryptedSetting = (key: string): UserError =>
  new UserError(
    `${PROJECT}:${key} has an encrypted value, which Pulumi's state would hold in plain text. Only these secrets may be encrypted: ${Object.keys(secrets).join(", ")}`,
    `set it in plain text, or remove it and set a secret: pulumi config set --secret ${PROJECT}:<secret>`,
  );

function refuseMissing(
  { broker, database }: StackConfig,
  configured: ReadonlySet<SecretName>,
): void {
  if (
    broker.mode === "external" &&
    broker.security.mechanism &&
    !configured.has("brokerPassword")
  ) {
    throw missingSecret("brokerPassword", "broker.security.mechanism");
  }
  if (database.mode === "external" && !configured.has("databasePassword")) {
    throw missingSecret("databasePassword", "database.mode: external");
  }
}
