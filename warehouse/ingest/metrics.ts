import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { ingestMetrics as names } from "../../contract/metrics.ts";
import { EVENT_TOPICS } from "../../contract/topics.ts";

const INSERT_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function makeIngestMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ["topic"] as const;
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames, registers });
  const metrics = {
    registry,
    rows: counter(names.rows, "Rows that this process stored, by topic"),
    batches: counter(names.batches, "Batches stored, by topic"),
    repeated: counter(names.repeated, "Rows read that another consumer had stored, by topic"),
    retries: counter(names.retries, "Failed attempts to read or to store, by topic"),
    insertDuration: new Histogram({
      name: names.insertDuration,
      help: "Seconds until a batch is stored, with its retries",
      labelNames,
      buckets: INSERT_BUCKETS,
      registers,
    }),
    lag: new Gauge({
      name: names.lag,
      help: "Messages in the topic that this process has not read yet, by partition of this process",
      labelNames: ["topic", "partition"] as const,
      registers,
    }),
    lastSuccess: new Gauge({
      name: names.lastSuccess,
      help: "Unix time of the last stored batch, or of the last moment without a waiting message",
      labelNames,
      registers,
    }),
  };
  // Initialises all series, so that zero differs from no data.
  for (const topic of EVENT_TOPICS) {
    for (const name of ["rows", "batches", "repeated", "retries"] as const) {
      metrics[name].inc({ topic }, 0);
    }
  }
  return metrics;
}

export type IngestMetrics = ReturnType<typeof makeIngestMetrics>;
