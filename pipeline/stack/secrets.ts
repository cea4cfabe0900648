import { randomBytes } from "node:crypto";
import { UserError } from "../../contract/errors.ts";

/** Secrets of a stack. `generated`: `make init` makes one up; the others are the user's own. */
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
  biPreviousSecretKey: { generated: false, meaning: "Superset's key before its last change" },
  brokerPassword: { generated: false, meaning: "Password at an external broker" },
} as const;

export type SecretName = keyof typeof secrets;
export const SECRET_NAMES = Object.keys(secrets) as SecretName[];
export type Secrets = Readonly<Record<SecretName, string | undefined>>;

/** `databasePassword` → `EVENT_PIPELINE_DATABASE_PASSWORD`. */
export const secretVariable = (name: SecretName): string =>
  `EVENT_PIPELINE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** Fresh values for every generated secret that is not there yet. URL-safe, 192 bits. */
export function completeSecrets(present: Partial<Secrets>): Partial<Record<SecretName, string>> {
  const complete: Partial<Record<SecretName, string>> = {};
  for (const name of SECRET_NAMES) {
    const value = present[name] ?? (secrets[name].generated ? newSecret() : undefined);
    if (value !== undefined) complete[name] = value;
  }
  return complete;
}

/** URL-safe, 192 bits. */
export const newSecret = (): string => randomBytes(24).toString("base64url");

/**
 * Takes each secret from the first source that has it.
 * @throws UserError that names every missing generated secret and the command that makes it
 */
export function resolveSecrets(
  sources: readonly ((name: SecretName) => string | undefined)[],
  stack: string,
): Secrets {
  const resolved = Object.fromEntries(
    SECRET_NAMES.map((name) => [name, firstOf(sources, name)]),
  ) as Record<SecretName, string | undefined>;
  const missing = SECRET_NAMES.filter((name) => secrets[name].generated && !resolved[name]);
  if (missing.length > 0) throw missingSecrets(missing, stack);
  return resolved;
}

function firstOf(
  sources: readonly ((name: SecretName) => string | undefined)[],
  name: SecretName,
): string | undefined {
  for (const source of sources) {
    const value = source(name);
    if (value) return value;
  }
  return undefined;
}

function missingSecrets(missing: readonly SecretName[], stack: string): UserError {
  const lines = missing.map(
    (name) => `  ${name}: ${secrets[name].meaning} (or set ${secretVariable(name)})`,
  );
  return new UserError(
    `The stack's secrets are missing:\n${lines.join("\n")}`,
    `make init STACK=${stack}; with a backend of your own: pulumi config set --secret event-pipeline:${missing[0]} VALUE`,
  );
}

/** @throws UserError where a setting needs a secret that only the user can know. */
export function requireSecret(all: Secrets, name: SecretName, because: string): string {
  const value = all[name];
  if (value) return value;
  throw new UserError(
    `${because} needs the secret ${name} (${secrets[name].meaning}), which is not set`,
    `export ${secretVariable(name)}=…, then make up; with a backend of your own: pulumi config set --secret event-pipeline:${name} VALUE`,
  );
}
