import { STREAMS } from "../../contract/streams.ts";
import { serveEndpoint } from "./endpoint.ts";
import { makeIngestMetrics } from "./metrics.ts";
import { type IngestOptions, StreamIngest } from "./stream-ingest.ts";

export interface ServiceOptions extends Omit<IngestOptions, "metrics"> {
  readonly host: string;
  readonly port: number;
}

/** Stores the event topics in `stg` until the signal; then ends the current batches. */
export async function runIngest({ host, port, ...options }: ServiceOptions): Promise<void> {
  const metrics = makeIngestMetrics();
  const topics = STREAMS.map((stream) => new StreamIngest(stream, { ...options, metrics }));
  const progress = topics.map((topic) => topic.progress);
  const endpoint = await serveEndpoint({ host, port }, metrics, progress);
  options.log.info("listening", { port: endpoint.port });
  try {
    await Promise.all(topics.map((topic) => topic.run()));
  } finally {
    await endpoint.close();
  }
}
