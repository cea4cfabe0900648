import type { RequestListener } from "node:http";
import { Counter, Gauge, Registry } from "prom-client";
import { ingestMetrics as names } from "../../contract/metrics.ts";
import { listen } from "../../generator/service/listen.ts";
import { Ingest, type IngestOptions } from "./ingest.ts";

export interface ServiceOptions extends Omit<IngestOptions, "metrics"> {
  readonly port: number;
}

/** Stores the event topics in `stg` until the signal, and serves /metrics and /healthz. */
export async function runIngest({ port, ...options }: ServiceOptions): Promise<void> {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ["topic"];
  const metrics = {
    rows: new Counter({ registers, labelNames, name: names.rows, help: "Rows stored" }),
    retries: new Counter({ registers, name: names.retries, help: "Failures to read or store" }),
    lag: new Gauge({
      registers,
      labelNames,
      name: names.lag,
      help: "Offsets of this process not stored yet",
    }),
  };
  const ingest = new Ingest({ ...options, metrics });
  const place = { host: "0.0.0.0", port, variable: "INGEST_HTTP_PORT" };
  const endpoint = await listen(place, answer(registry, ingest));
  options.log.info("listening", { port: endpoint.port });
  await ingest.run();
  await endpoint.close();
}

/** Answers /metrics and /healthz. */
export const answer =
  (registry: Registry, ingest: Pick<Ingest, "failure">): RequestListener =>
  async ({ url }, response) => {
    response.setHeader("content-type", registry.contentType);
    if (url === "/metrics") response.end(await registry.metrics());
    else if (url !== "/healthz") response.writeHead(404).end();
    else response.writeHead(ingest.failure === undefined ? 200 : 503).end(ingest.failure);
  };
