import { UserError } from "../../contract/errors.ts";
import type { StackConfig } from "./config.ts";

/** Secrets of a stack. `generated`: the program makes one; the others only the user can know. */
export const secrets = {
  databasePassword: { generated: true, meaning: "ClickHouse user default (administrator)" },
  biPassword: { generated: true, meaning: "ClickHouse user bi (reads the marts)" },
  monitorPassword: { generated: true, meaning: "ClickHouse user monitor (state of the layers)" },
  controlToken: { generated: true, meaning: "Bearer token of the generator's control endpoint" },
  adminPassword: { generated: true, meaning: "Account admin of the tools with a login page" },
  postgresPassword: { generated: true, meaning: "PostgreSQL user postgres (administrator)" },
  schedulerDatabasePassword: { generated: true, meaning: "PostgreSQL user airflow" },
  schedulerFernetKey: { generated: true, meaning: "Encrypts what Airflow keeps in its database" },
  schedulerWebKey: { generated: true, meaning: "Signs the sessions of Airflow's web page" },
  biDatabasePassword: { generated: true, meaning: "PostgreSQL user superset" },
  biSecretKey: {
    generated: true,
    meaning: "Signs Superset's sessions and encrypts the passwords it keeps",
  },
  digestKey: { generated: true, meaning: "Keys the digests of secrets that labels show" },
  biPreviousSecretKey: { generated: false, meaning: "Superset's key before its last change" },
  brokerPassword: { generated: false, meaning: "Password at an external broker" },
} as const;

export type SecretName = keyof typeof secrets;
export const SECRET_NAMES = Object.keys(secrets) as SecretName[];
export const isSecretName = (name: string): name is SecretName => Object.hasOwn(secrets, name);
export type Secrets = Readonly<Record<SecretName, string | undefined>>;

/** Names of the secrets that the program makes, where the user has given none. */
export const generatedSecrets = ({ database }: Pick<StackConfig, "database">): SecretName[] =>
  SECRET_NAMES.filter(
    (name) =>
      secrets[name].generated &&
      // A database of the user's own has a password that only the user knows.
      !(name === "databasePassword" && database.mode === "external"),
  );

/**
 * Stands for secrets whose values are not known: which services, files and volumes there are does
 * not depend on them.
 * @param given names of the secrets that the user has set
 */
export function unknownSecrets(
  config: Pick<StackConfig, "database" | "bi">,
  given: ReadonlySet<SecretName>,
): Secrets {
  const available = new Set([...generatedSecrets(config), ...given]);
  if (config.bi.secretKeyGeneration > 1) available.add("biPreviousSecretKey");
  return Object.fromEntries(
    SECRET_NAMES.map((name) => [name, available.has(name) ? `unknown ${name}` : undefined]),
  ) as Secrets;
}

/** @throws UserError where a setting needs a secret that only the user can know. */
export function requireSecret(all: Secrets, name: SecretName, because: string): string {
  const value = all[name];
  if (value) return value;
  throw new UserError(
    `${because} needs the secret ${name} (${secrets[name].meaning}), which is not set`,
    `make set-secret NAME=${name}, then make up; with plain pulumi: pulumi config set --secret event-pipeline:${name}`,
  );
}
