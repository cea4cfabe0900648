import { JOBS } from "../../dashboards/promql.ts";
import { type BrokerEndpoint, brokerClientEnvironment } from "../broker/endpoint.ts";
import { type DatabaseEndpoint, insideDatabaseEnvironment } from "../database/endpoint.ts";
import { generatorConfig } from "../generator/config.ts";
import { HTTP_200_PATTERN, httpHealthCheck } from "../shared/health.ts";
import {
  builtImageName,
  commonSpec,
  imageOf,
  type Placement,
  publish,
} from "../shared/placement.ts";
import { SECRETS, secretFiles } from "../shared/secret-files.ts";
import { justSecret } from "../shared/secret-text.ts";
import {
  type ContainerSpec,
  type HealthCheck,
  type ScrapeJob,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import type { IngestConfig } from "./config.ts";

const ALIAS = "ingest";
const PORT = 9110;

export interface IngestPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly scrape: readonly ScrapeJob[];
  readonly baseImages: readonly [string];
}

/** Plans `pipeline ingest`, which replaces the Kafka engine. */
export function planIngest(
  config: IngestConfig,
  at: Placement,
  { broker, database }: { readonly broker: BrokerEndpoint; readonly database: DatabaseEndpoint },
): IngestPlan {
  const { sasl } = broker.security;
  const secrets = secretFiles(at, ALIAS, {
    "clickhouse-password": justSecret("databasePassword"),
    ...(sasl ? { "kafka-sasl-password": justSecret("brokerPassword") } : {}),
  });
  const container: ContainerSpec = {
    ...commonSpec,
    role: "ingest",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: builtImageName(at, ALIAS),
    environment: {
      ...brokerClientEnvironment(broker, "inside"),
      ...insideDatabaseEnvironment(database),
      CLICKHOUSE_PASSWORD_FILE: `${SECRETS}/clickhouse-password`,
      ...(sasl ? { KAFKA_SASL_PASSWORD_FILE: `${SECRETS}/kafka-sasl-password` } : {}),
    },
    user: "1000:1000",
    ports: [publish(at, "ingest.port", PORT, config.port, "/metrics")],
    health,
    memoryMiB: config.memoryMiB,
    cpus: config.cpus,
    graceSeconds: 30,
    replaceTriggers: { secrets: secrets.replaceTrigger },
  };
  return {
    baseImages: [imageOf(at, generatorConfig.images, "node")],
    scrape: [{ job: JOBS.ingest, target: `${ALIAS}:${PORT}` }],
    service: servicePlan({ container, configs: [secrets.config] }),
  };
}

const health: HealthCheck = {
  test: httpHealthCheck(PORT, "/healthz", HTTP_200_PATTERN),
  everySeconds: 3,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 60,
};
