import { PROJECT } from "./shared/names.ts";

/** Secrets of a stack. The configuration may set each; the owner generates the others. */
export const SECRETS = {
  adminPassword: "Account admin of Grafana, Airflow and Superset",
  kafkaPassword: "Password at an external Kafka",
  clickhousePassword: "ClickHouse user default (administrator)",
  clickhouseBiPassword: "ClickHouse user bi (reads the marts)",
  clickhouseMonitorPassword: "ClickHouse user monitor (state of the layers)",
  controlToken: "Bearer token of the generator's control endpoint",
  postgresPassword: "PostgreSQL user postgres (administrator)",
  airflowDatabasePassword: "PostgreSQL user airflow",
  supersetDatabasePassword: "PostgreSQL user superset",
  airflowFernetKey: "Encrypts connections and variables in Airflow's database",
  airflowPreviousFernetKey: "Airflow's Fernet key before the last change",
  airflowWebKey: "Signs the sessions of Airflow's web server",
  supersetSecretKey: "Signs Superset's sessions and encrypts stored passwords",
  supersetPreviousSecretKey: "Superset's key before the last change",
  alertWebhook: "Address that receives a POST for each group of alerts",
} as const;

export type SecretName = keyof typeof SECRETS;

export const isSecretName = (name: string): name is SecretName => Object.hasOwn(SECRETS, name);

export const setSecretCommand = (name: SecretName): string =>
  `pulumi config set --secret ${PROJECT}:${name}`;

/** Encryption key with generations: old ones decrypt values until the service has re-encrypted them. */
export interface EncryptionKey {
  readonly current: SecretName;
  readonly previous: SecretName;
}

export const AIRFLOW_KEY: EncryptionKey = {
  current: "airflowFernetKey",
  previous: "airflowPreviousFernetKey",
};

export const SUPERSET_KEY: EncryptionKey = {
  current: "supersetSecretKey",
  previous: "supersetPreviousSecretKey",
};

/** Returns the name of a generation's resource. */
export const keyResource = ({ current }: EncryptionKey, generation: number): string =>
  `${kebabCase(current)}-${generation}`;

/** Returns the generation in a resource's name; undefined for other resources. */
export function generationOf({ current }: EncryptionKey, resource: string): number | undefined {
  const [, stem, number] = /^(.+)-(\d+)$/.exec(resource) ?? [];
  return stem === kebabCase(current) ? Number(number) : undefined;
}

export const isEncryptionKey = (resource: string): boolean =>
  [AIRFLOW_KEY, SUPERSET_KEY].some((key) => generationOf(key, resource) !== undefined);

/** Returns `clickhouse-password` for `clickhousePassword`. */
export const kebabCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
