import { alertLogConfig } from "./alert-log/config.ts";
import { biConfig } from "./bi/config.ts";
import { brokerConfig } from "./broker/config.ts";
import { brokerExporterConfig } from "./broker-exporter/config.ts";
import { brokerUiConfig } from "./broker-ui/config.ts";
import { dashboardsConfig } from "./dashboards/config.ts";
import { databaseConfig } from "./database/config.ts";
import { generatorConfig } from "./generator/config.ts";
import { ingestConfig } from "./ingest/config.ts";
import { metricsConfig } from "./metrics/config.ts";
import { networkConfig } from "./network/config.ts";
import { postgresConfig } from "./postgres/config.ts";
import { schedulerConfig } from "./scheduler/config.ts";
import { statsdExporterConfig } from "./statsd-exporter/config.ts";

/** Services by block of the configuration; the source of settings, images and their docs. */
export const services = {
  network: networkConfig,
  broker: brokerConfig,
  brokerUi: brokerUiConfig,
  database: databaseConfig,
  ingest: ingestConfig,
  generator: generatorConfig,
  postgres: postgresConfig,
  scheduler: schedulerConfig,
  bi: biConfig,
  metrics: metricsConfig,
  statsdExporter: statsdExporterConfig,
  brokerExporter: brokerExporterConfig,
  alertLog: alertLogConfig,
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
