import type { ServerResponse } from "node:http";
import { type HttpEndpoint, listen } from "../../generator/service/listen.ts";
import type { IngestMetrics } from "./metrics.ts";
import type { Progress } from "./progress.ts";

/** Serves /metrics and /healthz. @throws UserError if the port is not available */
export const serveEndpoint = (
  place: { readonly host: string; readonly port: number },
  { registry }: IngestMetrics,
  topics: readonly Progress[],
): Promise<HttpEndpoint> =>
  listen({ ...place, variable: "INGEST_HTTP_PORT" }, async ({ url }, response) => {
    if (url === "/metrics") {
      response.writeHead(200, { "content-type": registry.contentType });
      response.end(await registry.metrics());
    } else if (url === "/healthz") sendHealth(response, topics);
    else response.writeHead(404).end();
  });

function sendHealth(response: ServerResponse, topics: readonly Progress[]): void {
  const problems = topics.flatMap(({ problem }) => problem ?? []);
  const ok = problems.length === 0;
  response.writeHead(ok ? 200 : 503, { "content-type": "application/json" });
  response.end(`${JSON.stringify({ ok, reason: problems.join("; ") })}\n`);
}
