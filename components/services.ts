import { biConfig } from "./bi/config.ts";
import { type BiPlan, planBi } from "./bi/spec.ts";
import { brokerConfig } from "./broker/config.ts";
import { type BrokerPlan, planBroker } from "./broker/spec.ts";
import { brokerExporterConfig } from "./broker-exporter/config.ts";
import { type BrokerExporterPlan, planBrokerExporter } from "./broker-exporter/spec.ts";
import { brokerUiConfig } from "./broker-ui/config.ts";
import { type BrokerUiPlan, planBrokerUi } from "./broker-ui/spec.ts";
import { dashboardsConfig } from "./dashboards/config.ts";
import { type DashboardsPlan, planDashboards } from "./dashboards/spec.ts";
import { databaseConfig } from "./database/config.ts";
import { type DatabasePlan, planDatabase } from "./database/spec.ts";
import { generatorConfig } from "./generator/config.ts";
import { type GeneratorPlan, planGenerator } from "./generator/spec.ts";
import { type LivePlan, planLive } from "./live/spec.ts";
import { metricsConfig } from "./metrics/config.ts";
import { type MetricsPlan, planMetrics } from "./metrics/spec.ts";
import { networkConfig } from "./network/config.ts";
import { postgresConfig } from "./postgres/config.ts";
import { type PostgresPlan, planPostgres } from "./postgres/spec.ts";
import { schedulerConfig } from "./scheduler/config.ts";
import { planScheduler, type SchedulerPlan } from "./scheduler/spec.ts";
import type { PlanContext } from "./shared/context.ts";
import { refuseClashes } from "./shared/port-clashes.ts";
import type {
  Address,
  ContainerSpec,
  PublishedPort,
  ServicePlan,
  ServiceSpec,
} from "./shared/spec.ts";
import { refuseUnreachable } from "./shared/unreachable.ts";
import { statsdExporterConfig } from "./statsd-exporter/config.ts";
import { planStatsdExporter, STATSD, type StatsdExporterPlan } from "./statsd-exporter/spec.ts";

/** By block of the configuration; the source of settings, images and their docs. */
export const services = {
  network: networkConfig,
  broker: brokerConfig,
  brokerUi: brokerUiConfig,
  database: databaseConfig,
  generator: generatorConfig,
  postgres: postgresConfig,
  scheduler: schedulerConfig,
  bi: biConfig,
  metrics: metricsConfig,
  statsdExporter: statsdExporterConfig,
  brokerExporter: brokerExporterConfig,
  dashboards: dashboardsConfig,
} as const;

type ServiceImages = (typeof services)[keyof typeof services]["images"];
export type KeysOf<T> = T extends unknown ? keyof T : never;
export type ImageName = KeysOf<ServiceImages>;

/** Official images by the setting that overrides each. */
export const images = Object.assign(
  {},
  ...Object.values(services).map((service) => service.images),
) as Readonly<Record<ImageName, string>>;

export interface StackPlan {
  readonly broker: BrokerPlan;
  readonly database: DatabasePlan;
  readonly brokerUi: BrokerUiPlan | null;
  readonly generator: GeneratorPlan | null;
  readonly postgres: PostgresPlan | null;
  readonly bi: BiPlan | null;
  readonly scheduler: SchedulerPlan | null;
  readonly live: LivePlan;
  readonly monitoring: MonitoringPlan;
  /** Already added to every published port. */
  readonly portOffset: number;
}

export interface MonitoringPlan {
  readonly brokerExporter: BrokerExporterPlan | null;
  readonly statsdExporter: StatsdExporterPlan | null;
  readonly metrics: MetricsPlan | null;
  readonly dashboards: DashboardsPlan | null;
}

/** As plain data. @throws UserError for settings that conflict with each other */
export function planStack(context: PlanContext): StackPlan {
  const broker = planBroker(context);
  const database = planDatabase(context, broker.endpoint);
  const generator = planGenerator(context, broker.endpoint);
  const watched = {
    broker,
    database,
    brokerUi: planBrokerUi(context, broker.endpoint),
    generator,
    postgres: planPostgres(context),
    scheduler: planScheduler(context, {
      broker: broker.endpoint,
      database: database.endpoint,
      generator,
      statsd: context.config.metrics.enabled ? STATSD : null,
    }),
    bi: planBi(context, database.endpoint),
  };
  const plan: StackPlan = {
    ...watched,
    live: planLive(context.config),
    monitoring: planMonitoring(context, watched),
    portOffset: context.config.network.portOffset,
  };
  refuseUnreachable(context, containersOf(plan));
  refuseClashes(publishedPorts(plan));
  return plan;
}

function planMonitoring(
  context: PlanContext,
  watched: Omit<StackPlan, "live" | "monitoring" | "portOffset">,
): MonitoringPlan {
  const { broker, database, generator } = watched;
  const brokerExporter = planBrokerExporter(context, broker.endpoint);
  const statsdExporter = planStatsdExporter(context);
  const metrics = planMetrics(context, {
    database: database.metricsTarget,
    pipeline: { url: database.endpoint.insideUrl, user: database.monitorUser },
    broker: brokerExporter?.target ?? null,
    scheduler: statsdExporter?.target ?? null,
    generator: generator?.metricsTarget ?? null,
  });
  const tools = addressesIn({ ...watched, metrics })
    .filter(({ isTool }) => isTool)
    .map(({ title, url, page = "" }) => ({ title, url: `${url}${page}` }));
  const dashboards = planDashboards(context, metrics, tools);
  return { brokerExporter, statsdExporter, metrics, dashboards };
}

const specsOf = ({ live: _, portOffset: __, monitoring, ...others }: StackPlan): Specs => ({
  ...others,
  ...monitoring,
});

type Specs = Readonly<Record<string, ServiceSpec | null>>;

export const addressesOf = (plan: StackPlan): Record<string, Address> =>
  Object.fromEntries(
    Object.entries(specsOf(plan)).flatMap(([name, spec]) =>
      spec?.address ? [[name, spec.address]] : [],
    ),
  );

const addressesIn = (specs: Specs): Address[] =>
  Object.values(specs).flatMap((spec) => (spec?.address ? [spec.address] : []));

/** Services of the plan, after those that they depend on. */
export const servicesOf = (plan: StackPlan): ServicePlan[] =>
  Object.values(specsOf(plan)).flatMap((spec) => [
    ...(spec?.service ? [spec.service] : []),
    ...(spec?.companions ?? []),
  ]);

export const containersOf = (plan: StackPlan): ContainerSpec[] =>
  servicesOf(plan).map((service) => service.container);

export const publishedPorts = (plan: StackPlan): PublishedPort[] =>
  containersOf(plan).flatMap((container) => container.ports);

export const memoryOf = (plan: StackPlan): number =>
  containersOf(plan).reduce((sum, container) => sum + container.memoryMiB, 0);
