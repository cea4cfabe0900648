import { UserError } from "../contract/errors.ts";
import { type KeysOf, services } from "./services.ts";
import { PROJECT } from "./shared/names.ts";

/** Secrets that more than one service uses. */
const SHARED = { adminPassword: "Account admin of Grafana, Airflow and Superset" } as const;

type ServiceSecrets = (typeof services)[keyof typeof services]["secrets"];
export type SecretName = KeysOf<ServiceSecrets> | keyof typeof SHARED;

/**
 * Secrets of a stack with what each is for. The service that owns one generates it, unless the
 * configuration sets it; those of an external broker or database are always set.
 */
export const secrets = Object.assign(
  {},
  SHARED,
  ...Object.values(services).map((service) => service.secrets),
) as Readonly<Record<SecretName, string>>;

export const isSecretName = (name: string): name is SecretName => Object.hasOwn(secrets, name);

export const setSecretCommand = (name: SecretName): string =>
  `pulumi config set --secret ${PROJECT}:${name}`;

/** An error about a secret that only the user can know. */
export const missingSecret = (name: SecretName, setting: string): UserError =>
  new UserError(
    `${setting} needs the secret ${name} (${secrets[name]}), which is not set.`,
    setSecretCommand(name),
  );
