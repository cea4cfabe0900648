import { JOBS } from "../../dashboards/promql.ts";
import type { BrokerEndpoint } from "../broker/endpoint.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import {
  commonSpec,
  hostUrl,
  imageOf,
  type Placement,
  plannedVolume,
  publish,
} from "../shared/placement.ts";
import { justSecret, type Text } from "../shared/secret-text.ts";
import {
  type Account,
  type Address,
  type ClientAccess,
  type ContainerSpec,
  configVolume,
  type ScrapeJob,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import { type DatabaseConfig, databaseConfig, databaseData } from "./config.ts";
import { type DatabaseEndpoint, databaseEnvironment } from "./endpoint.ts";
import { layersJob } from "./scrape.ts";
import { brokerFile, METRICS_PORT, serverFile, startFile } from "./settings.ts";
import { BI_USER, MONITOR_USER, usersFile } from "./users.ts";

// The second command registers the epoch of the topics in the tables of the first.
export const SCHEMA_COMMANDS = ["ddl", "topics"];

const ALIAS = "clickhouse";
const HTTP_PORT = 8123;
const NATIVE_PORT = 9000;
const CONFIG = "/etc/clickhouse-server/config.d";
const USERS = "/etc/clickhouse-server/users.d";

type ExternalDatabase = Extract<DatabaseConfig, { mode: "external" }>;
type ContainerDatabase = Extract<DatabaseConfig, { mode: "container" }>;

export interface DatabasePlan extends ServiceSpec {
  readonly endpoint: DatabaseEndpoint;
  readonly service: ServicePlan | null;
  readonly scrape: readonly ScrapeJob[];
  readonly readers: DatabaseReaders;
  readonly brokerText: Text;
  readonly address: Address;
  readonly client: ClientAccess;
}

export interface DatabaseReaders {
  /** Account that reads the marts. */
  readonly bi: Account;
  /** Account that reads the state of the layers. */
  readonly monitor: Account;
}

export function planDatabase(
  config: DatabaseConfig,
  at: Placement,
  broker: BrokerEndpoint,
): DatabasePlan {
  const plan =
    config.mode === "container" ? containerPlan(config, at, broker) : externalPlan(config);
  const { hostUrl: url, user } = plan.endpoint;
  return {
    ...plan,
    scrape: [...plan.scrape, layersJob(plan.endpoint.insideUrl, plan.readers.monitor)],
    address: { title: "ClickHouse", url, page: "/play", user, isTool: true },
    client: {
      environment: {
        ...databaseEnvironment(plan.endpoint),
        // In an external database, `topics` creates the named collection of the broker.
        KAFKA_DATABASE_BOOTSTRAP_SERVERS: broker.inside,
      },
      secrets: { CLICKHOUSE_PASSWORD: "databasePassword" },
    },
  };
}

type ModePlan = Omit<DatabasePlan, "address" | "client">;

/** Readers of an external database, which has only its configured user. */
function externalPlan({ url, hostUrl: onHost, user, ingest }: ExternalDatabase): ModePlan {
  const account = { user, password: "databasePassword" } as const;
  return {
    endpoint: { insideUrl: url, hostUrl: onHost ?? url, user, ingest },
    service: null,
    scrape: [],
    readers: { bi: account, monitor: account },
    brokerText: "",
  };
}

function containerPlan(config: ContainerDatabase, at: Placement, broker: BrokerEndpoint): ModePlan {
  const http = publish(at, "database.httpPort", HTTP_PORT, config.httpPort, "/ping");
  const ports = [
    http,
    publish(at, "database.nativePort", NATIVE_PORT, config.nativePort, "clickhouse"),
    publish(at, "database.metricsPort", METRICS_PORT, config.metricsPort, "/metrics"),
  ];
  const configs = configVolumes(at, broker);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "database",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(at, databaseConfig.images, "database"),
    // A file defines the users, so the image must not create one.
    environment: { CLICKHOUSE_SKIP_USER_SETUP: "1" },
    user: "101:101",
    ports,
    health,
    memoryMiB: config.memoryMiB,
    measuredMiB: 327,
    cpus: config.cpus,
    graceSeconds: 60,
    // Reloading needs a login, which fails with a new password, so a change replaces the container.
    replaceTriggers: { settings: startFile.content, administrator: justSecret("databasePassword") },
  };
  return {
    endpoint: {
      insideUrl: `http://${ALIAS}:${HTTP_PORT}`,
      hostUrl: hostUrl(at, http),
      user: "default",
      ingest: config.ingest,
    },
    scrape: [{ job: JOBS.database, target: `${ALIAS}:${METRICS_PORT}` }],
    readers: {
      bi: { user: BI_USER, password: "biPassword" },
      monitor: { user: MONITOR_USER, password: "monitorPassword" },
    },
    brokerText: configs.broker.content,
    service: servicePlan({
      container,
      volumes: [plannedVolume(at, databaseData)],
      configs: [configs.settings, configs.users],
    }),
  };
}

function configVolumes({ names }: Placement, broker: BrokerEndpoint) {
  const ofBroker = brokerFile(broker);
  const files = [serverFile, startFile, ofBroker];
  return {
    settings: configVolume("config", names.volume("clickhouse-config"), CONFIG, files),
    users: configVolume("users", names.volume("clickhouse-users"), USERS, [usersFile]),
    broker: ofBroker,
  };
}

const health = wgetHealthCheck(HTTP_PORT, "/ping", {
  everySeconds: 2,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 60,
});
