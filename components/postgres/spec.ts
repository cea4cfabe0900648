import type { SecretName } from "../secrets.ts";
import { BI_KEY, type EncryptionKey, SCHEDULER_KEY } from "../shared/encryption-keys.ts";
import { commonSpec, imageOf, type Placement, plannedVolume } from "../shared/placement.ts";
import { justSecret, secretText } from "../shared/secret-text.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type HealthCheck,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import { type PostgresConfig, postgresConfig, postgresData } from "./config.ts";

const ALIAS = "postgres";
const PORT = 5432;
const CONFIG = "/etc/event-pipeline";
const DATABASES_FILE = "databases.sql";

/** Databases by service; each has an owner of the same name. */
export const DATABASES = {
  scheduler: { name: "airflow", password: "schedulerDatabasePassword" },
  bi: { name: "superset", password: "biDatabasePassword" },
} as const satisfies Record<string, { name: string; password: SecretName }>;

export type PostgresTenant = keyof typeof DATABASES;

interface PostgresDatabase {
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly user: string;
  readonly password: SecretName;
}

export interface PostgresPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly tenants: readonly PostgresTenant[];
  /** Encryption keys, including those of disabled services. */
  readonly keys: readonly { readonly key: EncryptionKey; readonly generation: number }[];
  /** Arguments of the `docker exec` that applies roles and databases; idempotent. */
  readonly apply: readonly string[];
}

export function planPostgres(config: PostgresConfig, at: Placement): PostgresPlan {
  const tenants = tenantsOf(config);
  const password: ConfigFile = {
    path: "password",
    content: justSecret("postgresPassword"),
  };
  const databases = databasesFile(tenants.map(postgresDatabase));
  const files = configVolume("config", at.names.volume("postgres-config"), CONFIG, [
    password,
    databases,
  ]);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "postgres",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(at, postgresConfig.images, "postgres"),
    environment: {
      POSTGRES_PASSWORD_FILE: `${CONFIG}/${password.path}`,
      PGDATA: postgresData.path,
    },
    user: "999:999",
    health,
    memoryMiB: config.memoryMiB,
    measuredMiB: 113,
    cpus: config.cpus,
    graceSeconds: 30,
  };
  return {
    tenants,
    keys: keysOf(config),
    service: servicePlan({
      container,
      volumes: [plannedVolume(at, postgresData)],
      configs: [files],
    }),
    apply: [container.name, ...psql, "--file", `${CONFIG}/${DATABASES_FILE}`],
  };
}

export function postgresDatabase(tenant: PostgresTenant): PostgresDatabase {
  const { name, password } = DATABASES[tenant];
  return { host: ALIAS, port: PORT, name, user: name, password };
}

const tenantsOf = (config: PostgresConfig): PostgresTenant[] =>
  (Object.keys(DATABASES) as PostgresTenant[]).filter((tenant) => config[tenant].enabled);

const keysOf = ({ bi, scheduler }: PostgresConfig): PostgresPlan["keys"] => [
  { key: BI_KEY, generation: bi.secretKeyGeneration },
  { key: SCHEDULER_KEY, generation: scheduler.fernetKeyGeneration },
];

// The socket inside the container needs no password, so a lost password can be reset.
const psql = [
  "psql",
  "--username",
  "postgres",
  "--quiet",
  "--no-psqlrc",
  "--set",
  "ON_ERROR_STOP=1",
];

/** File with the SQL that creates roles and databases; idempotent. */
function databasesFile(databases: readonly PostgresDatabase[]): ConfigFile {
  const accounts = [ADMINISTRATOR, ...databases];
  const content = secretText(
    accounts.map(({ password }) => password),
    (values) => databasesText(databases, values),
  );
  return { path: DATABASES_FILE, content };
}

type Account = Pick<PostgresDatabase, "user" | "password">;
const ADMINISTRATOR: Account = { user: "postgres", password: "postgresPassword" };

function databasesText(
  databases: readonly PostgresDatabase[],
  values: Readonly<Record<SecretName, string>>,
): string {
  const passwordOf = ({ user, password }: Account): string =>
    `SELECT format('ALTER ROLE %I PASSWORD %L', ${literal(user)}, ${literal(values[password])}) \\gexec`;
  const lines = [
    passwordOf(ADMINISTRATOR),
    ...databases.flatMap((database) => [
      `SELECT format('CREATE ROLE %I LOGIN', ${literal(database.user)}) WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${literal(database.user)}) \\gexec`,
      passwordOf(database),
      `SELECT format('CREATE DATABASE %I OWNER %I', ${literal(database.name)}, ${literal(database.user)}) WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = ${literal(database.name)}) \\gexec`,
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const health: HealthCheck = {
  // While the image initialises, the server answers on the socket only, so the check uses TCP.
  test: ["CMD", "pg_isready", "--quiet", "--host", "127.0.0.1", "--username", "postgres"],
  everySeconds: 2,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 60,
};
