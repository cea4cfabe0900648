import { UserError } from "../contract/errors.ts";
import { type KeysOf, services } from "./registry.ts";
import { PROJECT } from "./shared/names.ts";

const SHARED = { adminPassword: "Account admin of Grafana, Airflow and Superset" } as const;

type ServiceSecrets = (typeof services)[keyof typeof services]["secrets"];
export type SecretName = KeysOf<ServiceSecrets> | keyof typeof SHARED;

/** Secrets by name. A service generates its own; an external broker or database needs it set. */
export const secrets = Object.assign(
  {},
  SHARED,
  ...Object.values(services).map((service) => service.secrets),
) as Readonly<Record<SecretName, string>>;

export const isSecretName = (name: string): name is SecretName => Object.hasOwn(secrets, name);

export const setSecretCommand = (name: SecretName): string =>
  `pulumi config set --secret ${PROJECT}:${name}`;

export const missingSecret = (name: SecretName, setting: string): UserError =>
  new UserError(
    `${setting} needs the secret ${name} (${secrets[name]}), which is not set`,
    `run ${setSecretCommand(name)}`,
  );
