import { planAlertLog } from "./alert-log/spec.ts";
import { planBi } from "./bi/spec.ts";
import { planBroker } from "./broker/spec.ts";
import { planBrokerExporter } from "./broker-exporter/spec.ts";
import { planBrokerUi } from "./broker-ui/spec.ts";
import type { StackConfig } from "./config.ts";
import { planDashboards } from "./dashboards/spec.ts";
import { planDatabase } from "./database/spec.ts";
import type { Overrides } from "./generator/overrides.ts";
import { planGenerator } from "./generator/spec.ts";
import { planIngest } from "./ingest/spec.ts";
import { planMetrics } from "./metrics/spec.ts";
import { planPostgres } from "./postgres/spec.ts";
import { services } from "./registry.ts";
import { planScheduler } from "./scheduler/spec.ts";
import type { SecretName } from "./secrets.ts";
import { refuseUnreachable } from "./shared/check-reachability.ts";
import { kebabCase, type StackNames } from "./shared/names.ts";
import type { Placement } from "./shared/placement.ts";
import { refuseClashes } from "./shared/port-clashes.ts";
import type { DataVolume, ServiceConfig } from "./shared/service-config.ts";
import type {
  Address,
  ClientAccess,
  MountedContainer,
  PublishedPort,
  ServicePlan,
  ServiceSpec,
} from "./shared/spec.ts";
import { planStatsdExporter } from "./statsd-exporter/spec.ts";

/** Inputs of a plan. */
export interface PlanContext {
  readonly names: StackNames;
  readonly config: StackConfig;
  readonly configured: ReadonlySet<SecretName>;
  readonly overrides: Overrides;
}

/** Plans all services as plain data; null if not deployed. @throws UserError for conflicting settings */
export function planStack({ names, config, configured, overrides }: PlanContext) {
  const { network, images, scheduler, bi, metrics, dashboards } = config;
  const at: Placement = { names, network, images, configured };
  const broker = planBroker(config.broker, at);
  const { endpoint } = broker;
  const database = planDatabase(config.database, at, endpoint);
  const generator = when(config.generator.deploy, () =>
    planGenerator(config.generator, at, { broker: endpoint, overrides }),
  );
  const ingest = when(config.database.ingest === "service", () =>
    planIngest(config.ingest, at, { broker: endpoint, database: database.endpoint }),
  );
  const statsdExporter = when(metrics.enabled && scheduler.enabled, () =>
    planStatsdExporter(config.statsdExporter, at),
  );
  const alertLog = when(metrics.enabled && dashboards.enabled, () =>
    planAlertLog(config.alertLog, at),
  );
  const services = {
    broker,
    database,
    ingest,
    generator,
    statsdExporter,
    alertLog,
    brokerUi: when(config.brokerUi.enabled, () => planBrokerUi(config.brokerUi, at, endpoint)),
    brokerExporter: when(metrics.enabled && config.brokerExporter.enabled, () =>
      planBrokerExporter(config.brokerExporter, at, endpoint),
    ),
    postgres: when(bi.enabled || scheduler.enabled, () =>
      planPostgres({ ...config.postgres, bi, scheduler }, at),
    ),
    scheduler: when(scheduler.enabled, () =>
      planScheduler(scheduler, at, { broker, database, generator, statsdExporter }),
    ),
    bi: when(bi.enabled, () => planBi(bi, at, database)),
  };
  const watch = { ...metrics, runbook: dashboards.runbook };
  const prometheus = when(metrics.enabled, () => planMetrics(watch, at, Object.values(services)));
  const tools = addressesOf({ ...services, metrics: prometheus });
  const grafana =
    prometheus && alertLog && dashboards.enabled
      ? planDashboards(dashboards, at, { metrics: prometheus, alertLog, tools })
      : null;
  const plan = { ...services, metrics: prometheus, dashboards: grafana };
  refuseUnreachable(config, containersOf(plan));
  refuseClashes(publishedPorts(plan));
  return plan;
}

const when = <T>(isDeployed: boolean, plan: () => T): T | null => (isDeployed ? plan() : null);

export type StackPlan = ReturnType<typeof planStack>;

/** Name of a service in the configuration and in the plan. */
export type ServiceName = keyof StackPlan;

export const deployedWith = (name: ServiceName): string =>
  services[name].deployedWith ?? `${name}.enabled`;

/** Data volumes by resource, e.g. `broker-data`, also of services that are not deployed. */
export const dataVolumes: ReadonlyMap<
  string,
  Pick<DataVolume, "loss"> & { readonly keptWith: string }
> = new Map(
  (Object.entries(services) as [ServiceName, ServiceConfig][]).flatMap(([service, { volumes }]) =>
    volumes.map(({ role, loss, keptWith = deployedWith(service) }) => [
      `${kebabCase(service)}-${role}`,
      { loss, keptWith },
    ]),
  ),
);

type Specs = Readonly<Record<string, ServiceSpec | null>>;

const addressesOf = (services: Specs): Record<string, Address> =>
  Object.fromEntries(
    Object.entries(services).flatMap(([name, service]) =>
      service?.address ? [[name, service.address]] : [],
    ),
  );

/** Returns stack outputs: addresses by service for programs, and pages for people. */
export function addressOutputs(services: Specs) {
  const entries = Object.entries(addressesOf(services));
  return {
    addresses: Object.fromEntries(entries.map(([service, { url }]) => [service, url])),
    pages: entries.flatMap(([service, { title, url, page = "", user = "", first }]) =>
      page === null
        ? []
        : {
            service,
            title,
            url: url + page,
            user,
            ...(services[service]?.service ? {} : { isExternal: true }),
            ...(first ? { first: `${url}${first.page}  ${first.shows}` } : {}),
          },
    ),
  };
}

/** Returns the services in order of their dependencies. */
export const servicesOf = (plan: Specs): ServicePlan[] =>
  Object.values(plan).flatMap((spec) => [
    ...(spec?.service ? [spec.service] : []),
    ...(spec?.companions ?? []),
  ]);

export const containersOf = (plan: Specs): MountedContainer[] =>
  servicesOf(plan).map((service) => service.container);

export const publishedPorts = (plan: Specs): PublishedPort[] =>
  containersOf(plan).flatMap((container) => container.ports);

/** Returns the images of all containers and the base images of built images. */
export const imagesOf = (plan: Specs): string[] => [
  ...containersOf(plan).map(({ image }) => image),
  ...Object.values(plan).flatMap((spec) => spec?.baseImages ?? []),
];

export const clientsOf = (plan: Specs): ClientAccess[] =>
  Object.values(plan).flatMap((spec) => spec?.client ?? []);

export const memoryOf = (plan: Specs): number =>
  containersOf(plan).reduce((sum, container) => sum + container.memoryMiB, 0);
