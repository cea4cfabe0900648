import * as pulumi from "@pulumi/pulumi";
import { AIRFLOW_KEY, SUPERSET_KEY } from "../secrets.ts";
import { runDocker } from "../shared/commands.ts";
import type { Limits } from "../shared/docker-traps.ts";
import type { HealthCheck } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import {
  type ConfiguredSecrets,
  encryptionKeys,
  type KeyPair,
  ownSecret,
  type SecretOutputs,
} from "../shared/secrets.ts";
import { type Ready, SECRET_FILES, Service } from "../shared/service.ts";
import { databasesSql, type PostgresDatabase } from "./databases.ts";

const PORT = 5432;
const DATA = "/var/lib/postgresql/data";
const PASSWORD_FILE = `${SECRET_FILES}/password`;
const DATABASES_FILE = `${SECRET_FILES}/databases.sql`;

/** Services with data in Postgres: the database's password, and the key of encrypted values. */
const TENANTS = {
  airflow: { password: "airflowDatabasePassword", key: AIRFLOW_KEY },
  superset: { password: "supersetDatabasePassword", key: SUPERSET_KEY },
} as const;

type Tenant = keyof typeof TENANTS;
const ALL_TENANTS = Object.keys(TENANTS) as Tenant[];

export interface PostgresArgs extends Limits {
  readonly network: Network;
  readonly image: string;
  /** Services that get a database. */
  readonly tenants: readonly Tenant[];
  /** Generation of each service's key, also of one that is switched off, because its data stay. */
  readonly keyGenerations: Readonly<Record<Tenant, number>>;
  readonly secrets: ConfiguredSecrets;
}

/** What a service with data in Postgres needs. */
export interface PostgresTenant {
  readonly database: PostgresDatabase;
  readonly key: KeyPair;
  /** Id of the container. */
  readonly serverId: pulumi.Output<string>;
  /** What has to be ready before the service connects. */
  readonly ready: readonly Ready[];
}

/** Postgres with the databases and encryption keys of Airflow and Superset. */
export class Postgres extends pulumi.ComponentResource {
  readonly secrets: SecretOutputs;
  readonly #tenants: Readonly<Partial<Record<Tenant, PostgresTenant>>>;

  constructor(name: string, args: PostgresArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Postgres", name, {}, opts);
    const { tenants, keyGenerations, secrets: configured } = args;
    const administrator = ownSecret("postgresPassword", configured, this);
    const passwords = Object.fromEntries(
      tenants.map((tenant) => [tenant, ownSecret(TENANTS[tenant].password, configured, this)]),
    );
    const keys = Object.fromEntries(
      ALL_TENANTS.map((tenant) => [
        tenant,
        encryptionKeys(TENANTS[tenant].key, keyGenerations[tenant], configured, this),
      ]),
    ) as Record<Tenant, KeyPair>;
    const service = this.#service(name, args, administrator, passwords);
    const created = runDocker(
      `${name}-databases`,
      {
        docker: ["exec", service.container, ...PSQL, "--file", DATABASES_FILE],
        timeoutSeconds: 120,
        triggers: [service.containerId],
        after: [service.ready],
      },
      this,
    );
    const address = `${name}:${PORT}`;
    const ready = [created];
    const serverId = service.containerId;
    this.#tenants = Object.fromEntries(
      Object.entries(passwords).map(([tenant, password]) => [
        tenant,
        {
          database: { address, name: tenant, password },
          key: keys[tenant as Tenant],
          serverId,
          ready,
        },
      ]),
    );
    this.secrets = {
      postgresPassword: administrator,
      ...Object.assign({}, ...ALL_TENANTS.map((tenant) => secretsOf(tenant, keys, passwords))),
    };
    this.registerOutputs({ serverId });
  }

  /** Returns a service's database and key. @throws Error if the service is no tenant */
  tenant(tenant: Tenant): PostgresTenant {
    const found = this.#tenants[tenant];
    if (!found) throw new Error(`${tenant} has no database`);
    return found;
  }

  #service(
    name: string,
    { network, image, memoryMiB, cpus }: PostgresArgs,
    administrator: pulumi.Output<string>,
    passwords: Readonly<Record<string, pulumi.Output<string>>>,
  ): Service {
    return new Service(
      name,
      {
        ...{ network, image, memoryMiB, cpus, health },
        environment: { POSTGRES_PASSWORD_FILE: PASSWORD_FILE, PGDATA: DATA },
        user: "999:999",
        volumes: [{ name: "data", path: DATA }],
        files: {
          [PASSWORD_FILE]: administrator,
          [DATABASES_FILE]: pulumi
            .all([administrator, pulumi.all(passwords)])
            .apply(([own, others]) => databasesSql(own, others)),
        },
        graceSeconds: 30,
      },
      { parent: this },
    );
  }
}

const secretsOf = (
  tenant: Tenant,
  keys: Readonly<Record<Tenant, KeyPair>>,
  passwords: Readonly<Record<string, pulumi.Output<string>>>,
): Record<string, pulumi.Output<string>> => {
  const { password, key } = TENANTS[tenant];
  const { current, previous } = keys[tenant];
  const own = passwords[tenant];
  return {
    ...(own ? { [password]: own } : {}),
    [key.current]: current,
    ...(previous ? { [key.previous]: previous } : {}),
  };
};

// The socket inside the container needs no password, so a lost password can be reset.
const PSQL = [
  "psql",
  "--username",
  "postgres",
  "--quiet",
  "--no-psqlrc",
  "--set",
  "ON_ERROR_STOP=1",
];

const health: HealthCheck = {
  // While the image initialises, the server answers on the socket only, so the check uses TCP.
  test: ["CMD", "pg_isready", "--quiet", "--host", "127.0.0.1", "--username", "postgres"],
  everySeconds: 2,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 60,
};
