import { commonSpec, hostUrl, imageOf, type PlanContext, publish } from "../shared/context.ts";
import type { BrokerEndpoint, DatabaseEndpoint } from "../shared/endpoints.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import { justSecret, type Text } from "../shared/secret-text.ts";
import {
  type ContainerSpec,
  configVolume,
  type ServicePlan,
  type ServiceSpec,
} from "../shared/spec.ts";
import { databaseConfig } from "./config.ts";
import { brokerFile, METRICS_PORT, serverFile, startFile } from "./settings.ts";
import { MONITOR_USER, usersFile } from "./users.ts";

const ALIAS = "clickhouse";
const HTTP_PORT = 8123;
const NATIVE_PORT = 9000;
const DATA = "/var/lib/clickhouse";
const CONFIG = "/etc/clickhouse-server/config.d";
const USERS = "/etc/clickhouse-server/users.d";

type DatabaseConfig = PlanContext["config"]["database"];
type ExternalDatabase = Extract<DatabaseConfig, { mode: "external" }>;
type ContainerDatabase = Extract<DatabaseConfig, { mode: "container" }>;

export interface DatabasePlan extends ServiceSpec {
  readonly endpoint: DatabaseEndpoint;
  readonly service: ServicePlan | null;
  readonly metricsTarget: string | null;
  readonly monitorUser: string;
  readonly brokerText: Text;
}

export function planDatabase(context: PlanContext, broker: BrokerEndpoint): DatabasePlan {
  const { database } = context.config;
  const plan =
    database.mode === "container"
      ? containerPlan(context, database, broker)
      : externalPlan(database);
  const { hostUrl: url, user } = plan.endpoint;
  return { ...plan, address: { title: "ClickHouse", url, page: "/play", user, isTool: true } };
}

function externalPlan({ url, hostUrl: onHost, user }: ExternalDatabase): DatabasePlan {
  return {
    endpoint: { insideUrl: url, hostUrl: onHost ?? url, user },
    service: null,
    metricsTarget: null,
    monitorUser: user,
    brokerText: "",
  };
}

function containerPlan(
  context: PlanContext,
  database: ContainerDatabase,
  broker: BrokerEndpoint,
): DatabasePlan {
  const http = publish(context, "database.httpPort", HTTP_PORT, database.httpPort);
  const ports = [
    http,
    publish(context, "database.nativePort", NATIVE_PORT, database.nativePort),
    publish(context, "database.metricsPort", METRICS_PORT, database.metricsPort),
  ];
  const configs = configVolumes(context, broker);
  const data = context.names.volume("clickhouse-data");
  const container: ContainerSpec = {
    ...commonSpec,
    role: "database",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(context, databaseConfig.images, "database"),
    // Users are declared in a file, so the image must not create its own.
    environment: { CLICKHOUSE_SKIP_USER_SETUP: "1" },
    user: "101:101",
    ports,
    mounts: [
      { volume: data, path: DATA, readOnly: false },
      { volume: configs.settings.volume, path: CONFIG, readOnly: true },
      { volume: configs.users.volume, path: USERS, readOnly: true },
    ],
    health,
    memoryMiB: database.memoryMiB,
    measuredMiB: 327,
    cpus: database.cpus,
    graceSeconds: 60,
    // A reload needs a login, which fails with a new password, so a change replaces the container.
    startTexts: { settings: startFile.content, administrator: justSecret("databasePassword") },
  };
  return {
    endpoint: {
      insideUrl: `http://${ALIAS}:${HTTP_PORT}`,
      hostUrl: hostUrl(context, http),
      user: "default",
    },
    metricsTarget: `${ALIAS}:${METRICS_PORT}`,
    monitorUser: MONITOR_USER,
    brokerText: configs.broker.content,
    service: {
      container,
      configs: [configs.settings, configs.users],
      dataVolumes: [{ role: "data", volume: data }],
    },
  };
}

function configVolumes(context: PlanContext, broker: BrokerEndpoint) {
  const ofBroker = brokerFile(broker);
  const files = [serverFile, startFile, ofBroker];
  const { names } = context;
  return {
    settings: configVolume("config", names.volume("clickhouse-config"), files),
    users: configVolume("users", names.volume("clickhouse-users"), [usersFile]),
    broker: ofBroker,
  };
}

const health = wgetHealthCheck(HTTP_PORT, "/ping", {
  everySeconds: 2,
  timeoutSeconds: 5,
  patienceSeconds: 60,
});
