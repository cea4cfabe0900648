export const notFoundText = (path: string): string => `There is no handle ${path}

Use / or /ping for health checks.
Or /replicas_status for more sophisticated health checks.
Use /play for a SQL page and /metrics for the metrics.

Send queries from your program with POST method or GET /?query=...
`;
