export interface DatabaseEndpoint {
  readonly insideUrl: string;
  readonly hostUrl: string;
  readonly user: string;
}

export const databaseEnvironment = (endpoint: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_URL: endpoint.hostUrl,
  CLICKHOUSE_USER: endpoint.user,
});

export const insideDatabaseEnvironment = (endpoint: DatabaseEndpoint): Record<string, string> => ({
  CLICKHOUSE_URL: endpoint.insideUrl,
  CLICKHOUSE_USER: endpoint.user,
});
