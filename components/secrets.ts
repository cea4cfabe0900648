import { PROJECT } from "./shared/names.ts";

/** Secrets that the configuration may set. The owner generates a missing one, if it can. */
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
  airflowJwtSecret: "Signs the tokens of Airflow's users and tasks",
  alertWebhook: "Address that receives a POST for each group of alerts",
} as const;

export type SecretName = keyof typeof SECRETS;

export const isSecretName = (name: string): name is SecretName => Object.hasOwn(SECRETS, name);

export const setSecretCommand = (name: SecretName): string =>
  `npx pulumi config set --secret ${PROJECT}:${name}`;

/** Meanings of all secrets of the stack's output, with the keys that are only generated. */
export const SECRET_MEANINGS: Readonly<Record<string, string>> = {
  ...SECRETS,
  airflowFernetKey: "Encrypts connections and variables in Airflow's database",
  supersetSecretKey: "Signs Superset's sessions and encrypts stored passwords",
};

/** Encryption key with generations: old ones decrypt values until the service has re-encrypted them. */
export type EncryptionKey = "airflow-fernet-key" | "superset-secret-key";

export const AIRFLOW_KEY: EncryptionKey = "airflow-fernet-key";
export const SUPERSET_KEY: EncryptionKey = "superset-secret-key";

/** Returns the name of a generation's resource. */
export const keyResource = (key: EncryptionKey, generation: number): string =>
  `${key}-${generation}`;

export const isEncryptionKey = (resource: string): boolean =>
  [AIRFLOW_KEY, SUPERSET_KEY].includes(resource.replace(/-\d+$/, "") as EncryptionKey);
