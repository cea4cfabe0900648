export interface DatabaseEndpoint {
  readonly insideUrl: string;
  readonly hostUrl: string;
  readonly user: string;
  /** What stores the topics. */
  readonly ingest: "kafka-engine" | "service";
}

export const databaseEnvironment = (endpoint: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_URL: endpoint.hostUrl,
  ...common(endpoint),
});

export const insideDatabaseEnvironment = (endpoint: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_URL: endpoint.insideUrl,
  ...common(endpoint),
});

const common = ({ user, ingest }: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_USER: user,
  ...(ingest === "service" ? { DDL_TIER: "service" } : {}),
});
