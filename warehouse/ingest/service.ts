import type { RequestListener } from "node:http";
import { Counter, Gauge, Registry } from "prom-client";
import { ingestMetrics as names } from "../../contract/metrics.ts";
import { STREAMS } from "../../contract/streams.ts";
import { listen } from "../../generator/service/listen.ts";
import { type IngestOptions, TopicIngest } from "./topic-ingest.ts";

export interface ServiceOptions extends Omit<IngestOptions, "metrics"> {
  readonly port: number;
}

/** Stores the event topics in `stg` until the signal, and serves /metrics and /healthz. */
export async function runIngest({ port, ...options }: ServiceOptions): Promise<void> {
  const registry = new Registry();
  const common = { labelNames: ["topic"], registers: [registry] };
  const metrics = {
    rows: new Counter({ ...common, name: names.rows, help: "Rows stored" }),
    retries: new Counter({ ...common, name: names.retries, help: "Failures to read or store" }),
    lag: new Gauge({ ...common, name: names.lag, help: "Offsets of this process not stored yet" }),
  };
  const topics = STREAMS.map((stream) => new TopicIngest(stream, { ...options, metrics }));
  const place = { host: "0.0.0.0", port, variable: "INGEST_HTTP_PORT" };
  const endpoint = await listen(place, answer(registry, topics));
  options.log.info("listening", { port: endpoint.port });
  await Promise.all(topics.map((topic) => topic.run()));
  await endpoint.close();
}

/** Answers /metrics and /healthz. */
export const answer =
  (registry: Registry, topics: readonly Pick<TopicIngest, "failure">[]): RequestListener =>
  async ({ url }, response) => {
    const failures = topics.flatMap(({ failure }) => failure ?? []);
    response.setHeader("content-type", registry.contentType);
    if (url === "/metrics") response.end(await registry.metrics());
    else if (url !== "/healthz") response.writeHead(404).end();
    else response.writeHead(failures.length === 0 ? 200 : 503).end(failures.join("\n"));
  };
