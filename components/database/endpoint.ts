export interface DatabaseEndpoint {
  readonly insideUrl: string;
  readonly hostUrl: string;
  readonly user: string;
  /** What stores the topics. */
  readonly ingest: "kafka-engine" | "service";
  /** Cluster of an external server, on whose replicas the tables are. */
  readonly cluster?: string;
}

export const databaseEnvironment = (endpoint: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_URL: endpoint.hostUrl,
  ...common(endpoint),
});

export const insideDatabaseEnvironment = (endpoint: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_URL: endpoint.insideUrl,
  ...common(endpoint),
});

const common = ({ user, ingest, cluster }: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_USER: user,
  ...(cluster === undefined ? {} : { CLICKHOUSE_CLUSTER: cluster }),
  ...(ingest === "service" ? { DDL_TIER: "service" } : {}),
});
