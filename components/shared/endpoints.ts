import type { BrokerConnection, SASL_MECHANISMS } from "../../contract/broker.ts";

export const SCHEDULER_ADMIN = "admin";

/** Components pass on endpoints, never containers. */

interface BrokerSecurity {
  /** Null: no encryption. `ca`: certificates (PEM) to trust instead of the system's. */
  readonly tls: { readonly ca?: string } | null;
  readonly sasl: {
    readonly mechanism: (typeof SASL_MECHANISMS)[number];
    readonly username: string;
  } | null;
}

export interface BrokerEndpoint {
  readonly inside: string;
  readonly host: string;
  readonly security: BrokerSecurity;
}

export interface DatabaseEndpoint {
  readonly insideUrl: string;
  readonly hostUrl: string;
  readonly user: string;
}

export function brokerEnvironment(
  endpoint: BrokerEndpoint,
  from: "inside" | "host",
): Record<string, string> {
  const { tls, sasl } = endpoint.security;
  return {
    KAFKA_BOOTSTRAP_SERVERS: endpoint[from],
    ...(tls ? { KAFKA_TLS: "true" } : {}),
    ...(tls?.ca ? { KAFKA_TLS_CA: tls.ca } : {}),
    ...(sasl ? { KAFKA_SASL_MECHANISM: sasl.mechanism, KAFKA_SASL_USERNAME: sasl.username } : {}),
  };
}

/** Address of the broker for the database, if a command defines it instead of a file. */
const DATABASE_BROKER = "KAFKA_DATABASE_BOOTSTRAP_SERVERS";

export const commandEnvironment = (
  broker: BrokerEndpoint,
  database: DatabaseEndpoint,
): Record<string, string> => ({
  ...brokerEnvironment(broker, "host"),
  ...databaseEnvironment(database),
  [DATABASE_BROKER]: broker.inside,
});

export const databaseEnvironment = (endpoint: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_URL: endpoint.hostUrl,
  CLICKHOUSE_USER: endpoint.user,
});

export const insideDatabaseEnvironment = (endpoint: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_URL: endpoint.insideUrl,
  CLICKHOUSE_USER: endpoint.user,
});

export interface MonitoringEndpoints {
  readonly metricsUrl: string;
  readonly metricsContainer: string;
  readonly dashboardsUrl: string | null;
}

export const monitoringEnvironment = ({
  metricsUrl,
  metricsContainer,
  dashboardsUrl,
}: MonitoringEndpoints): Record<string, string> => ({
  METRICS_URL: metricsUrl,
  METRICS_CONTAINER: metricsContainer,
  ...(dashboardsUrl ? { GRAFANA_URL: dashboardsUrl } : {}),
});

export interface BiEndpoints {
  readonly url: string;
  readonly marts: { readonly url: string; readonly user: string };
}

export const biEnvironment = ({ url, marts }: BiEndpoints): Record<string, string> => ({
  SUPERSET_URL: url,
  BI_DATABASE_URL: marts.url,
  BI_DATABASE_USER: marts.user,
});

export const generatorEnvironment = (url: string): Record<string, string> => ({
  GENERATOR_URL: url,
});

export const schedulerEnvironment = (url: string): Record<string, string> => ({
  AIRFLOW_URL: url,
  AIRFLOW_USER: SCHEDULER_ADMIN,
});

export function connectionOf(
  { inside, security }: BrokerEndpoint,
  password: string | undefined,
): BrokerConnection {
  const { tls, sasl } = security;
  return {
    bootstrap: inside.split(","),
    tls,
    sasl: sasl ? { ...sasl, password: password ?? "" } : null,
  };
}
