import { generatorConfig } from "../generator/config.ts";
import { HTTP_200_PATTERN, httpHealthCheck } from "../shared/health.ts";
import {
  builtImageName,
  commonSpec,
  hostUrl,
  imageOf,
  type Placement,
  plannedVolume,
  publish,
} from "../shared/placement.ts";
import { SECRETS, type SecretFiles, secretFiles } from "../shared/secret-files.ts";
import {
  type Address,
  type ClientAccess,
  type ConfigVolumeSpec,
  type ContainerSpec,
  type HealthCheck,
  type JobSpec,
  mountsOf,
  type PlannedVolume,
  type PublishedPort,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
  type VolumeMount,
} from "../shared/spec.ts";
import { type SchedulerConfig, schedulerConfig, schedulerLogs } from "./config.ts";
import { type SchedulerDependencies, schedulerEnvironment } from "./environment.ts";
import { schedulerSecrets } from "./secrets.ts";

const ALIAS = "airflow";
const WEB_ALIAS = "airflow-web";
const WEB_PORT = 8080;
const HEALTH_PORT = 8974;
const ADMIN = "admin";

export interface SchedulerPlan extends ServiceSpec {
  /** Secrets of the init job and both services. */
  readonly secrets: ConfigVolumeSpec;
  /** Init job; the services start after it succeeds. */
  readonly init: JobSpec;
  /** Volumes of the init job and both services. */
  readonly volumes: readonly PlannedVolume[];
  readonly service: ServicePlan;
  readonly web: ServicePlan;
  readonly address: Address;
  readonly client: ClientAccess;
  /** Base images of the built image. */
  readonly baseImages: readonly [airflow: string, node: string];
}

export function planScheduler(
  config: SchedulerConfig,
  at: Placement,
  dependencies: SchedulerDependencies,
): SchedulerPlan {
  const port = publish(at, "scheduler.port", WEB_PORT, config.port, "/health");
  const url = hostUrl(at, port);
  const secrets = secretFiles(at, ALIAS, schedulerSecrets(config, at, dependencies));
  const volumes = [plannedVolume(at, schedulerLogs)];
  const shared = mountsOf(volumes, [secrets.config]);
  const common = commonParts(at, dependencies, { secrets, url });
  const web = servicePlan({ container: webContainer(config, at, common, port), shared });
  return {
    secrets: secrets.config,
    init: initJob(at, common, shared),
    volumes,
    service: servicePlan({ container: schedulerContainer(config, at, common), shared }),
    web,
    companions: [web],
    address: {
      title: "Airflow",
      url,
      user: ADMIN,
      isTool: true,
      first: { page: "", shows: "the loads: etl_live starts one every five minutes" },
    },
    client: {
      environment: { AIRFLOW_URL: url, AIRFLOW_USER: ADMIN },
      secrets: { AIRFLOW_PASSWORD: "adminPassword" },
    },
    baseImages: [
      imageOf(at, schedulerConfig.images, "airflow"),
      imageOf(at, generatorConfig.images, "node"),
    ],
  };
}

const initJob = (at: Placement, common: Common, mounts: readonly VolumeMount[]): JobSpec => ({
  name: at.names.container("airflow-init"),
  image: common.image,
  command: ["bash", "airflow/init.sh"],
  environment: { ...common.environment, ADMIN_PASSWORD_FILE: `${SECRETS}/admin-password` },
  user: common.user,
  mounts,
  memoryMiB: 768,
  cpus: 1,
  timeoutSeconds: 300,
});

const schedulerContainer = (
  config: SchedulerConfig,
  at: Placement,
  common: Common,
): ContainerSpec => ({
  ...common,
  role: "scheduler",
  name: at.names.container(ALIAS),
  alias: ALIAS,
  command: ["bash", "airflow/scheduler.sh"],
  environment: { ...common.environment, LOG_DAYS: String(config.logDays) },
  health: schedulerHealth,
  memoryMiB: config.memoryMiB,
  measuredMiB: 407,
  cpus: config.cpus,
  // The current step can finish in this time; a longer step is retried after the next start.
  graceSeconds: 60,
});

const webContainer = (
  config: SchedulerConfig,
  at: Placement,
  common: Common,
  port: PublishedPort,
): ContainerSpec => ({
  ...common,
  role: "scheduler-web",
  name: at.names.container(WEB_ALIAS),
  alias: WEB_ALIAS,
  command: ["airflow", "webserver"],
  ports: [port],
  health: webHealth,
  memoryMiB: config.webMemoryMiB,
  measuredMiB: 297,
  cpus: config.webCpus,
  graceSeconds: 15,
});

interface Shared {
  readonly secrets: SecretFiles;
  readonly url: string;
}

const commonParts = (at: Placement, dependencies: SchedulerDependencies, shared: Shared) => ({
  ...commonSpec,
  image: builtImageName(at, ALIAS),
  environment: schedulerEnvironment(at, dependencies, shared.url),
  // The official image uses this user, whose group is root without root's rights.
  user: "50000:0",
  replaceTriggers: { secrets: shared.secrets.replaceTrigger },
});

type Common = ReturnType<typeof commonParts>;

const schedulerHealth: HealthCheck = {
  // The endpoint checks that the scheduler's heartbeat in the database is recent.
  test: httpHealthCheck(HEALTH_PORT, "/health", HTTP_200_PATTERN),
  everySeconds: 5,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 90,
};

const webHealth: HealthCheck = {
  test: httpHealthCheck(WEB_PORT, "/health", '"metadatabase": *{"status": *"healthy"'),
  everySeconds: 5,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 120,
};
