import { biConfig } from "./bi/config.ts";
import { brokerConfig } from "./broker/config.ts";
import { brokerExporterConfig } from "./broker-exporter/config.ts";
import { brokerUiConfig } from "./broker-ui/config.ts";
import { dashboardsConfig } from "./dashboards/config.ts";
import { databaseConfig } from "./database/config.ts";
import { generatorConfig } from "./generator/config.ts";
import { metricsConfig } from "./metrics/config.ts";
import { networkConfig } from "./network/config.ts";
import { postgresConfig } from "./postgres/config.ts";
import { schedulerConfig } from "./scheduler/config.ts";
import { statsdExporterConfig } from "./statsd-exporter/config.ts";

/**
 * The services of the stack: each name is a block of the configuration. Settings, images and their docs
 * come from here.
 */
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
/** Keys of every member of a union. */
export type KeysOf<T> = T extends unknown ? keyof T : never;
export type ImageName = KeysOf<ServiceImages>;

/** Official images by the setting that replaces each. */
export const images = Object.assign(
  {},
  ...Object.values(services).map((service) => service.images),
) as Readonly<Record<ImageName, string>>;
