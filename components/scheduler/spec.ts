import { createHash } from "node:crypto";
import { generatorConfig } from "../generator/config.ts";
import type { GeneratorPlan } from "../generator/spec.ts";
import { postgresDatabase } from "../postgres/spec.ts";
import {
  commonSpec,
  hostUrl,
  imageOf,
  ownImage,
  type PlanContext,
  publish,
} from "../shared/context.ts";
import { hasPrevious, SCHEDULER_KEY } from "../shared/encryption-keys.ts";
import {
  type BrokerEndpoint,
  brokerEnvironment,
  type DatabaseEndpoint,
  insideDatabaseEnvironment,
  SCHEDULER_ADMIN,
} from "../shared/endpoints.ts";
import { httpHealthCheck, IS_OK } from "../shared/health.ts";
import { SECRETS, type SecretFiles, secretFiles } from "../shared/secret-files.ts";
import { justSecret, type SecretText, secretText } from "../shared/secret-text.ts";
import type {
  ConfigVolumeSpec,
  ContainerSpec,
  DataVolume,
  HealthCheck,
  JobSpec,
  ServicePlan,
  ServiceSpec,
} from "../shared/spec.ts";
import { airflowSettings, statsdSettings } from "./airflow-settings.ts";
import { schedulerConfig } from "./config.ts";

const ALIAS = "airflow";
const WEB_ALIAS = "airflow-web";
const WEB_PORT = 8080;
const HEALTH_PORT = 8974;
const HOME = "/opt/event-pipeline";
const LOGS = "/opt/airflow/logs";
export interface SchedulerPlan extends ServiceSpec {
  /** Secrets of all three; must exist before the init job runs. */
  readonly secrets: ConfigVolumeSpec;
  /** The services start after its success. */
  readonly init: JobSpec;
  readonly dataVolumes: readonly DataVolume[];
  readonly service: ServicePlan;
  readonly web: ServicePlan;
  readonly url: string;
  readonly baseImage: string;
  readonly nodeImage: string;
}

export interface Surroundings {
  readonly broker: BrokerEndpoint;
  readonly database: DatabaseEndpoint;
  readonly generator: GeneratorPlan | null;
  readonly statsd: { readonly host: string; readonly port: number } | null;
}

/** Null if disabled. */
export function planScheduler(context: PlanContext, around: Surroundings): SchedulerPlan | null {
  const { scheduler } = context.config;
  if (!scheduler.enabled) return null;
  const port = publish(context, "scheduler.port", WEB_PORT, scheduler.port);
  const url = hostUrl(context, port);
  const secrets = secretFiles(context, ALIAS, contentsOf(context, around));
  const logs = context.names.volume("airflow-logs");
  const common = commonParts(context, around, { secrets, logs, url });
  const service: ContainerSpec = {
    ...common,
    role: "scheduler",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    command: ["bash", "airflow/scheduler.sh"],
    environment: { ...common.environment, LOG_DAYS: String(scheduler.logDays) },
    health: schedulerHealth,
    memoryMiB: scheduler.memoryMiB,
    measuredMiB: 407,
    cpus: scheduler.cpus,
    // Lets the current step finish; a longer one is retried after the next start.
    graceSeconds: 60,
  };
  const webContainer: ContainerSpec = {
    ...common,
    role: "scheduler-web",
    name: context.names.container(WEB_ALIAS),
    alias: WEB_ALIAS,
    command: ["airflow", "webserver"],
    ports: [port],
    health: webHealth,
    memoryMiB: scheduler.webMemoryMiB,
    measuredMiB: 297,
    cpus: scheduler.webCpus,
    graceSeconds: 15,
  };
  const web = { container: webContainer, configs: [], dataVolumes: [] };
  return {
    secrets: secrets.config,
    init: {
      name: context.names.container("airflow-init"),
      image: common.image,
      command: ["bash", "airflow/init.sh"],
      environment: { ...common.environment, ADMIN_PASSWORD_FILE: `${SECRETS}/admin-password` },
      user: common.user,
      mounts: common.mounts,
      memoryMiB: 768,
      cpus: 1,
      timeoutSeconds: 300,
    },
    dataVolumes: [{ role: "logs", volume: logs }],
    service: { container: service, configs: [], dataVolumes: [] },
    web,
    companions: [web],
    url,
    address: { title: "Airflow", url, user: SCHEDULER_ADMIN, isTool: true },
    baseImage: imageOf(context, schedulerConfig.images, "airflow"),
    nodeImage: imageOf(context, generatorConfig.images, "node"),
  };
}

interface Shared {
  readonly secrets: SecretFiles;
  readonly logs: string;
  readonly url: string;
}

const commonParts = (context: PlanContext, around: Surroundings, shared: Shared) => ({
  ...commonSpec,
  image: ownImage(context, ALIAS),
  environment: environmentOf(context, around, shared.url),
  // The official image's user; its group is root, without root's rights.
  user: "50000:0",
  mounts: [{ volume: shared.logs, path: LOGS, readOnly: false }, shared.secrets.mount],
  startTexts: { secrets: shared.secrets.startText },
});

const secretFrom = (file: string): string => `cat ${SECRETS}/${file}`;

function environmentOf(
  context: PlanContext,
  around: Surroundings,
  url: string,
): Record<string, string> {
  return {
    ...airflowSettings,
    AIRFLOW__CORE__DAGS_FOLDER: `${HOME}/airflow/dags`,
    AIRFLOW__CORE__FERNET_KEY_CMD: secretFrom("fernet-key"),
    AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD: secretFrom("metadata-url"),
    AIRFLOW__LOGGING__BASE_LOG_FOLDER: LOGS,
    AIRFLOW__WEBSERVER__BASE_URL: url,
    AIRFLOW__WEBSERVER__SECRET_KEY_CMD: secretFrom("web-key"),
    ...(around.statsd ? statsdSettings(around.statsd.host, around.statsd.port) : {}),
    ...taskEnvironment(context, around),
  };
}

const taskEnvironment = (
  context: PlanContext,
  { broker, database, generator }: Surroundings,
): Record<string, string> => ({
  ...brokerEnvironment(broker, "inside"),
  ...(broker.security.sasl ? { KAFKA_SASL_PASSWORD_FILE: `${SECRETS}/kafka-sasl-password` } : {}),
  ...insideDatabaseEnvironment(database),
  CLICKHOUSE_PASSWORD_FILE: `${SECRETS}/database-password`,
  ...(generator
    ? {
        GENERATOR_URL: generator.insideUrl,
        CONTROL_TOKEN_FILE: `${SECRETS}/control-token`,
      }
    : {}),
  GENERATOR_INSTANCE: context.names.stack,
});

const contentsOf = (
  context: PlanContext,
  { broker, generator }: Surroundings,
): Record<string, SecretText> => ({
  "admin-password": justSecret("adminPassword"),
  ...(generator ? { "control-token": justSecret("controlToken") } : {}),
  "database-password": justSecret("databasePassword"),
  "fernet-key": fernetKeys(context),
  "metadata-url": metadataUrl(),
  "web-key": justSecret("schedulerWebKey"),
  ...(broker.security.sasl ? { "kafka-sasl-password": justSecret("brokerPassword") } : {}),
});

function metadataUrl(): SecretText {
  const { host, port, name, user, password } = postgresDatabase("scheduler");
  const address = `${host}:${port}/${name}`;
  return secretText(
    [password],
    (values) => `postgresql+psycopg2://${user}:${encodeURIComponent(values[password])}@${address}`,
  );
}

/** Airflow encrypts with the first key and decrypts with all. */
function fernetKeys({ config, configured }: PlanContext): SecretText {
  const { current, previous } = SCHEDULER_KEY;
  const isSecond = hasPrevious(SCHEDULER_KEY, config.scheduler.fernetKeyGeneration, configured);
  const names = isSecond ? [current, previous] : [current];
  return secretText(names, (values) => names.map((name) => fernetKey(values[name])).join(","));
}

/** Derives the 32 bytes that Fernet needs, in URL-safe base64 with padding, from any text. */
const fernetKey = (secret: string): string =>
  `${createHash("sha256").update(secret).digest("base64url")}=`;

const schedulerHealth: HealthCheck = {
  // Healthy only while its heartbeat in the database is fresh.
  test: httpHealthCheck(HEALTH_PORT, "/health", IS_OK),
  everySeconds: 5,
  timeoutSeconds: 5,
  patienceSeconds: 90,
};

const webHealth: HealthCheck = {
  test: httpHealthCheck(WEB_PORT, "/health", '"metadatabase": *{"status": *"healthy"'),
  everySeconds: 5,
  timeoutSeconds: 5,
  patienceSeconds: 120,
};
