import type { SecretName } from "../secrets.ts";
import { commonSpec, imageOf, type PlanContext } from "../shared/context.ts";
import { BI_KEY, type EncryptionKey, SCHEDULER_KEY } from "../shared/encryption-keys.ts";
import { justSecret, secretText } from "../shared/secret-text.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type HealthCheck,
  type ServicePlan,
  type ServiceSpec,
} from "../shared/spec.ts";
import { postgresConfig } from "./config.ts";

const ALIAS = "postgres";
const PORT = 5432;
const DATA = "/var/lib/postgresql/data";
const CONFIG = "/etc/event-pipeline";
const DATABASES_FILE = "databases.sql";

/** Owned by a user of the same name. */
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
  /** Includes those of disabled services. */
  readonly keys: readonly { readonly key: EncryptionKey; readonly generation: number }[];
  /** Idempotent; arguments after `docker exec`. */
  readonly apply: readonly string[];
}

export function planPostgres(context: PlanContext): PostgresPlan | null {
  const tenants = tenantsOf(context);
  if (tenants.length === 0) return null;
  const { postgres } = context.config;
  const data = context.names.volume("postgres-data");
  const password: ConfigFile = {
    path: "password",
    content: justSecret("postgresPassword"),
  };
  const databases = databasesFile(tenants.map(postgresDatabase));
  const files = [password, databases];
  const config = configVolume("config", context.names.volume("postgres-config"), files);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "postgres",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(context, postgresConfig.images, "postgres"),
    environment: { POSTGRES_PASSWORD_FILE: `${CONFIG}/${password.path}`, PGDATA: DATA },
    user: "999:999",
    mounts: [
      { volume: data, path: DATA, readOnly: false },
      { volume: config.volume, path: CONFIG, readOnly: true },
    ],
    health,
    memoryMiB: postgres.memoryMiB,
    measuredMiB: 113,
    cpus: postgres.cpus,
    graceSeconds: 30,
  };
  return {
    tenants,
    keys: keysOf(context),
    service: {
      container,
      configs: [config],
      dataVolumes: [{ role: "data", volume: data }],
    },
    apply: [container.name, ...psql, "--file", `${CONFIG}/${DATABASES_FILE}`],
  };
}

export function postgresDatabase(tenant: PostgresTenant): PostgresDatabase {
  const { name, password } = DATABASES[tenant];
  return { host: ALIAS, port: PORT, name, user: name, password };
}

const tenantsOf = ({ config }: PlanContext): PostgresTenant[] =>
  (Object.keys(DATABASES) as PostgresTenant[]).filter((tenant) => config[tenant].enabled);

const keysOf = ({ config: { bi, scheduler } }: PlanContext): PostgresPlan["keys"] => [
  { key: BI_KEY, generation: bi.secretKeyGeneration },
  { key: SCHEDULER_KEY, generation: scheduler.fernetKeyGeneration },
];

// The socket inside the container needs no password, so that a lost one can be reset.
const psql = [
  "psql",
  "--username",
  "postgres",
  "--quiet",
  "--no-psqlrc",
  "--set",
  "ON_ERROR_STOP=1",
];

/** Idempotent. */
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
  // Over TCP, because the server answers on the socket alone while the image initialises.
  test: ["CMD", "pg_isready", "--quiet", "--host", "127.0.0.1", "--username", "postgres"],
  everySeconds: 2,
  timeoutSeconds: 5,
  patienceSeconds: 60,
};
