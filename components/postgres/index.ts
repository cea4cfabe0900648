import { readFileSync } from "node:fs";
import { join } from "node:path";
import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { dockerCommand } from "../shared/commands.ts";
import type { HealthCheck } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import { ownSecret, type SecretOutputs } from "../shared/secrets.ts";
import { mountOf, SECRET_FILES, Service } from "../shared/service.ts";
import type { Use } from "../shared/use.ts";
import type { PostgresSettings } from "./config.ts";

const PORT = 5432;
const DATA = "/var/lib/postgresql/data";
const PASSWORD_FILE = `${SECRET_FILES}/password`;
const DATABASE_FILE = "/etc/event-pipeline/database.sql";

export interface PostgresArgs extends PostgresSettings {
  readonly network: Network;
  /** Volume of the databases. */
  readonly data: docker.Volume;
  /** Password of the administrator. Default: generated. */
  readonly password?: pulumi.Input<string> | undefined;
}

/** Database of a service, whose owner has the same name. */
export interface PostgresDatabase {
  /** Host and port. */
  readonly address: string;
  readonly name: string;
  readonly password: pulumi.Output<string>;
  /** What has to be ready before the service connects. */
  readonly use: Use;
}

/** Postgres, with a database for each service that stores data in it. */
export class Postgres extends pulumi.ComponentResource {
  /** Id of the container. */
  readonly serverId: pulumi.Output<string>;
  readonly secrets: SecretOutputs;
  readonly #address: string;
  readonly #service: Service;

  constructor(name: string, args: PostgresArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Postgres", name, {}, opts);
    const password = ownSecret(`${name}-password`, args.password, this);
    this.#address = `${name}:${PORT}`;
    this.#service = new Service(
      name,
      {
        ...args,
        health,
        environment: { POSTGRES_PASSWORD_FILE: PASSWORD_FILE, PGDATA: DATA },
        user: "999:999",
        mounts: [mountOf(args.data, DATA)],
        files: {
          [PASSWORD_FILE]: password,
          [DATABASE_FILE]: readFileSync(join(import.meta.dirname, "database.sql"), "utf8"),
        },
        graceSeconds: 30,
      },
      { parent: this },
    );
    this.serverId = this.#service.containerId;
    // The image sets the password only in a new volume.
    this.createDatabase("postgres", password, this);
    this.secrets = { postgresPassword: password };
    this.registerOutputs({ serverId: this.serverId });
  }

  /** Creates a service's database and its owner, or sets the owner's password. */
  createDatabase(
    name: string,
    password: pulumi.Output<string>,
    parent: pulumi.Resource,
  ): PostgresDatabase {
    const { container, containerId, use } = this.#service;
    const psql = [...PSQL, "--set", `name=${name}`, "--file", DATABASE_FILE];
    const created = dockerCommand(
      `${name}-database`,
      {
        docker: ["exec", "--env", "DATABASE_PASSWORD", container, ...psql],
        timeoutSeconds: 120,
        triggers: [containerId],
        uses: [use, { environment: { DATABASE_PASSWORD: password }, ready: [] }],
      },
      parent,
    );
    return { address: this.#address, name, password, use: { ready: [created] } };
  }
}

// The socket inside the container needs no password, so a lost password can be reset.
const PSQL = [
  ...["psql", "--username", "postgres", "--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1"],
];

const health: HealthCheck = {
  // While the image initialises, the server answers on the socket only, so the check uses TCP.
  test: ["CMD", "pg_isready", "--quiet", "--host", "127.0.0.1", "--username", "postgres"],
  everySeconds: 2,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 60,
};
