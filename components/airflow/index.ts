import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { LIVE_LOAD_SECONDS } from "../../contract/schedule.ts";
import type { KeyPair } from "../encryption-keys.ts";
import type { Postgres, PostgresDatabase } from "../postgres/index.ts";
import { builtImage } from "../shared/built-image.ts";
import { httpHealth } from "../shared/health.ts";
import { Job } from "../shared/job.ts";
import type { Network } from "../shared/network.ts";
import type { Page } from "../shared/page.ts";
import { ownSecret, type SecretOutputs } from "../shared/secrets.ts";
import { mountOf, SECRET_FILES, Service, volumeOf } from "../shared/service.ts";
import { type Environment, joined, type Use, withoutWaiting } from "../shared/use.ts";
import type { AirflowSettings } from "./config.ts";
import { airflowSettings } from "./settings.ts";

const API_PORT = 8080;
const SCHEDULER_HEALTH_PORT = 8974;
const LOGS = "/opt/airflow/logs";
const ADMIN = "admin";

const ADMIN_PASSWORD_FILE = `${SECRET_FILES}/admin-password`;
const FERNET_KEY_FILE = `${SECRET_FILES}/fernet-key`;
const METADATA_URL_FILE = `${SECRET_FILES}/metadata-url`;
const JWT_SECRET_FILE = `${SECRET_FILES}/jwt-secret`;
const PASSWORDS_FILE = `${SECRET_FILES}/passwords`;

/** The limits are those of the scheduler with its tasks. */
export interface AirflowArgs extends AirflowSettings {
  readonly network: Network;
  readonly postgres: Postgres;
  /** Key of the stored connections and variables. */
  readonly key: KeyPair;
  /** Password of the database's owner. Default: generated. */
  readonly databasePassword?: pulumi.Input<string> | undefined;
  /** Key that signs the tokens of users and tasks. Default: generated. */
  readonly jwtSecret?: pulumi.Input<string> | undefined;
  readonly adminPassword: pulumi.Output<string>;
  /** Servers that the tasks use, and the generator that they pause; they wait for them themselves. */
  readonly tasks: readonly (Use | undefined)[];
  /** Receiver of metrics. Default: none. */
  readonly statsd?: Use | undefined;
}

/** Airflow: an init job, the API server, the DAG processor, and the scheduler with its tasks. */
export class Airflow extends pulumi.ComponentResource {
  readonly client: Use;
  readonly page: Page;
  readonly secrets: SecretOutputs;

  constructor(name: string, args: AirflowArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Airflow", name, {}, opts);
    const { network, adminPassword, postgres } = args;
    const jwtSecret = ownSecret(`${name}-jwt-secret`, args.jwtSecret, this);
    const password = ownSecret(`${name}-database-password`, args.databasePassword, this);
    const database = postgres.createDatabase(name, password, this);
    const port = network.publish(API_PORT, args.port);
    const url = network.url(port);
    const apiServer = `${name}-api-server`;
    const internalUrl = `http://${apiServer}:${API_PORT}`;
    const files = {
      [FERNET_KEY_FILE]: fernetKeys(args.key),
      [METADATA_URL_FILE]: metadataUrl(database),
      [JWT_SECRET_FILE]: jwtSecret,
    };
    const containerArgs = { ...this.#containerArgs(name, args, { url, internalUrl }), files };
    const init = new Job(
      `${name}-init`,
      {
        ...containerArgs,
        command: ["bash", "airflow/init.sh"],
        memoryMiB: 768,
        cpus: 1,
        timeoutSeconds: 300,
        triggers: [postgres.serverId],
        uses: [...containerArgs.uses, database.use],
      },
      { parent: this },
    );
    const api = new Service(
      apiServer,
      {
        ...containerArgs,
        command: ["bash", "airflow/api-server.sh"],
        environment: { ...containerArgs.environment, PASSWORDS_FILE },
        files: { ...files, [PASSWORDS_FILE]: pulumi.jsonStringify({ [ADMIN]: adminPassword }) },
        ports: [port],
        health: reportedHealth("metadatabase", 120),
        memoryMiB: args.apiServerMemoryMiB,
        cpus: args.apiServerCpus,
        graceSeconds: 15,
        uses: [...containerArgs.uses, init.use],
      },
      { parent: this },
    );
    const dagProcessor = new Service(
      `${name}-dag-processor`,
      {
        ...containerArgs,
        command: ["airflow", "dag-processor"],
        health: reportedHealth("dag_processor", 90, apiServer),
        memoryMiB: args.dagProcessorMemoryMiB,
        cpus: args.dagProcessorCpus,
        graceSeconds: 15,
        uses: [...containerArgs.uses, api.use],
      },
      { parent: this },
    );
    const scheduler = new Service(
      name,
      {
        ...containerArgs,
        command: ["bash", "airflow/scheduler.sh"],
        environment: {
          ...containerArgs.environment,
          LOG_DAYS: String(args.logDays),
          GENERATOR_INSTANCE: network.names.stack,
          // Tasks pause and unpause DAGs.
          AIRFLOW_URL: internalUrl,
          AIRFLOW_USER: ADMIN,
          AIRFLOW_PASSWORD_FILE: ADMIN_PASSWORD_FILE,
        },
        files: { ...files, [ADMIN_PASSWORD_FILE]: adminPassword },
        // The endpoint checks that this scheduler's heartbeat in the database is recent.
        health: httpHealth(SCHEDULER_HEALTH_PORT, "/health", { times: checkTimes(90) }),
        memoryMiB: args.memoryMiB,
        cpus: args.cpus,
        // The current step can finish in this time; a longer step is retried after the next start.
        graceSeconds: 60,
        uses: [
          ...containerArgs.uses,
          api.use,
          ...args.tasks.map((task) => task && withoutWaiting(task)),
        ],
      },
      { parent: this },
    );
    this.client = {
      environment: { AIRFLOW_URL: url, AIRFLOW_USER: ADMIN, AIRFLOW_PASSWORD: adminPassword },
      ready: joined([scheduler.use, dagProcessor.use]).ready,
    };
    this.page = {
      title: "Airflow",
      url,
      user: ADMIN,
      isTool: true,
      first: { url, shows: `the loads: etl_live starts one every ${LIVE_LOAD_SECONDS} seconds` },
    };
    this.secrets = { airflowJwtSecret: jwtSecret, airflowDatabasePassword: password };
    this.registerOutputs({ url: this.page.url });
  }

  #containerArgs(name: string, args: AirflowArgs, urls: Urls) {
    const { network, image: base, nodeImage } = args;
    const logs = volumeOf(name, { name: "logs", isDisposable: true }, network, {
      parent: this,
    });
    const build = {
      network,
      base,
      dockerfile: "airflow/Dockerfile",
      arguments: { NODE: nodeImage },
    };
    return {
      network,
      image: builtImage(name, build, this),
      environment: settingsOf(urls),
      // Lost metrics do not stop Airflow.
      uses: args.statsd ? [withoutWaiting(args.statsd)] : [],
      // The image's user owns its files. Its group, root, is for images that run as other users.
      user: "50000:50000",
      mounts: [mountOf(logs, LOGS)],
    };
  }
}

const checkTimes = (unhealthyAfterSeconds: number) => ({
  everySeconds: 5,
  timeoutSeconds: 5,
  unhealthyAfterSeconds,
});

/** Health as the API server reports it: of the database, or of a program by its heartbeat there. */
const reportedHealth = (
  part: "metadatabase" | "dag_processor",
  unhealthyAfterSeconds: number,
  host?: string,
) =>
  httpHealth(API_PORT, "/api/v2/monitor/health", {
    line: `"${part}":{"status":"healthy"`,
    host,
    times: checkTimes(unhealthyAfterSeconds),
  });

interface Urls {
  /** Address for people. */
  readonly url: string;
  /** Address in the network. */
  readonly internalUrl: string;
}

const settingsOf = ({ url, internalUrl }: Urls): Environment => ({
  ...airflowSettings,
  AIRFLOW__CORE__DAGS_FOLDER: "/opt/event-pipeline/airflow/dags",
  AIRFLOW__CORE__FERNET_KEY_CMD: `cat ${FERNET_KEY_FILE}`,
  AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD: `cat ${METADATA_URL_FILE}`,
  AIRFLOW__LOGGING__BASE_LOG_FOLDER: LOGS,
  AIRFLOW__API__BASE_URL: url,
  AIRFLOW__API__SECRET_KEY_CMD: `cat ${JWT_SECRET_FILE}`,
  AIRFLOW__API_AUTH__JWT_SECRET_CMD: `cat ${JWT_SECRET_FILE}`,
  AIRFLOW__CORE__EXECUTION_API_SERVER_URL: `${internalUrl}/execution/`,
});

const metadataUrl = ({ address, name, password }: PostgresDatabase): pulumi.Output<string> =>
  password.apply(
    (secret) => `postgresql+psycopg2://${name}:${encodeURIComponent(secret)}@${address}/${name}`,
  );

/** Returns the Fernet keys; Airflow encrypts with the first and decrypts with all. */
const fernetKeys = ({ current, previous }: KeyPair): pulumi.Output<string> =>
  pulumi
    .all([current, ...(previous ? [previous] : [])])
    .apply((keys) => keys.map(fernetKey).join());

/** Derives the 32 bytes that Fernet needs, in URL-safe base64 with padding, from any text. */
const fernetKey = (secret: string): string =>
  `${createHash("sha256").update(secret).digest("base64url")}=`;
