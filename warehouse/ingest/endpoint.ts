import { createServer, type ServerResponse } from "node:http";
import { UserError } from "../../contract/errors.ts";
import type { IngestMetrics } from "./metrics.ts";
import type { Progress } from "./progress.ts";

export interface Endpoint {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves /metrics and /healthz. @throws UserError if the port is not available */
export async function serveEndpoint(
  { host, port }: { readonly host: string; readonly port: number },
  { registry }: IngestMetrics,
  topics: readonly Progress[],
): Promise<Endpoint> {
  const server = createServer(async ({ url }, response) => {
    if (url === "/metrics") {
      response.writeHead(200, { "content-type": registry.contentType });
      response.end(await registry.metrics());
    } else if (url === "/healthz") sendHealth(response, topics);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(notListening(`${host}:${port}`, error)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function sendHealth(response: ServerResponse, topics: readonly Progress[]): void {
  const problems = topics.flatMap(({ problem }) => problem ?? []);
  const ok = problems.length === 0;
  response.writeHead(ok ? 200 : 503, { "content-type": "application/json" });
  response.end(`${JSON.stringify({ ok, reason: problems.join("; ") })}\n`);
}

const notListening = (where: string, { message }: Error): UserError =>
  new UserError(
    `HTTP cannot listen on ${where}: ${message}`,
    "set INGEST_HTTP_PORT to another port (0: any)",
  );
