import { type StackPlan, servicesOf } from "../components/services.ts";
import { cpuText, healthTimes } from "../components/shared/docker-workarounds.ts";
import { renderText, type SecretValues } from "../components/shared/secret-text.ts";
import {
  type ConfigVolumeSpec,
  type ContainerSpec,
  type JobSpec,
  LOGS,
  type MountedContainer,
} from "../components/shared/spec.ts";

type Runnable = Pick<MountedContainer, keyof JobSpec & keyof MountedContainer>;

export function composeOf(plan: StackPlan, secrets: SecretValues): object {
  const services = servicesOf(plan);
  const configs = [
    ...services.flatMap((service) => service.configs),
    ...(plan.scheduler ? [plan.scheduler.secrets] : []),
  ];
  const containers = services.map(({ container }) => container);
  const job = plan.scheduler?.init;
  const mounts = [...containers, ...(job ? [job] : [])].flatMap((container) => container.mounts);
  const isConfig = new Set(configs.map(({ volume }) => volume));
  return {
    services: Object.fromEntries([
      ...containers.map((spec) => [spec.alias, serviceOf(spec, configs, plan)]),
      ...(job ? [[JOB, partsOf(job, configs)]] : []),
    ]),
    configs: Object.fromEntries(
      // Escapes dollars, which begin a Compose variable.
      configs.flatMap(({ volume, files }) =>
        files.map(({ path, content }) => [
          configName(volume, path),
          { content: renderText(content, secrets).replaceAll("$", "$$$$") },
        ]),
      ),
    ),
    volumes: Object.fromEntries(
      mounts.filter(({ volume }) => !isConfig.has(volume)).map(({ volume }) => [volume, {}]),
    ),
  };
}

const JOB = "airflow-init";

const configName = (volume: string, path: string): string =>
  `${volume}-${path}`.replaceAll(/\W/g, "-");

function partsOf(spec: Runnable, configs: readonly ConfigVolumeSpec[]): object {
  const filesOf = (volume: string) => configs.find((config) => config.volume === volume)?.files;
  return {
    container_name: spec.name,
    image: spec.image,
    user: spec.user,
    ...(spec.command.length > 0 ? { command: spec.command } : {}),
    environment: spec.environment,
    mem_limit: `${spec.memoryMiB}m`,
    memswap_limit: `${spec.memoryMiB}m`,
    cpus: cpuText(spec.cpus),
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges"],
    logging: LOGS,
    volumes: spec.mounts
      .filter(({ volume }) => filesOf(volume) === undefined)
      .map(({ volume, path, readOnly }) => `${volume}:${path}${readOnly ? ":ro" : ""}`),
    configs: spec.mounts.flatMap(({ volume, path: folder }) =>
      (filesOf(volume) ?? []).map(({ path }) => ({
        source: configName(volume, path),
        target: `${folder}/${path}`,
      })),
    ),
  };
}

function serviceOf(
  container: MountedContainer,
  configs: readonly ConfigVolumeSpec[],
  { scheduler }: StackPlan,
): object {
  const isPrepared = [scheduler?.service, scheduler?.web].some(
    (service) => service?.container === container,
  );
  return {
    ...partsOf(container, configs),
    restart: "unless-stopped",
    tmpfs: container.tmpfs,
    networks: { default: { aliases: [container.alias] } },
    ports: container.ports.map(
      ({ bind, host, inside, protocol }) => `${bind}:${host}:${inside}/${protocol}`,
    ),
    healthcheck: healthOf(container),
    depends_on: isPrepared ? { [JOB]: { condition: "service_completed_successfully" } } : {},
  };
}

function healthOf({ health }: ContainerSpec): object {
  const { startPeriod, ...times } = healthTimes(health);
  return { test: health.test, ...times, start_period: startPeriod };
}
