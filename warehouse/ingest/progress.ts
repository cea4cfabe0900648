import { DatabaseError, UserError } from "../../contract/errors.ts";
import type { Log } from "../../generator/service/log.ts";
import { reasonOf } from "../../kafka/errors.ts";
import type { IngestMetrics } from "./metrics.ts";

/** Longest time without a stored batch while messages wait, ms. */
const SILENCE_MS = 60_000;

/** Progress of one topic: metrics, log lines and health. */
export class Progress {
  readonly #topic: string;
  readonly #metrics: IngestMetrics;
  readonly #log: Log;
  readonly #partitions = new Set<number>();
  #successAt = Date.now();
  #failure: string | undefined;

  constructor(topic: string, metrics: IngestMetrics, log: Log) {
    this.#topic = topic;
    this.#metrics = metrics;
    this.#log = log;
  }

  /** Reason for being unhealthy; undefined if healthy. */
  get problem(): string | undefined {
    if (Date.now() - this.#successAt <= SILENCE_MS) return undefined;
    const why = this.#failure === undefined ? "" : `: ${this.#failure}`;
    const seconds = Math.round((Date.now() - this.#successAt) / 1000);
    return `${this.#topic}: no batch was stored for ${seconds} s${why}`;
  }

  stored(rows: number, seconds: number): void {
    const topic = this.#topic;
    this.#metrics.rows.inc({ topic }, rows);
    this.#metrics.batches.inc({ topic });
    this.#metrics.insertDuration.observe({ topic }, seconds);
    this.#succeed();
  }

  /** No message waits. */
  idle(): void {
    this.#succeed();
  }

  repeated(rows: number): void {
    this.#metrics.repeated.inc({ topic: this.#topic }, rows);
  }

  lags(partition: number, lag: number): void {
    this.#partitions.add(partition);
    this.#metrics.lag.set({ topic: this.#topic, partition }, lag);
  }

  /** Removes the lag of partitions that another process may have now. */
  release(): void {
    for (const partition of this.#partitions) {
      this.#metrics.lag.remove({ topic: this.#topic, partition });
    }
    this.#partitions.clear();
  }

  failed(error: Error): void {
    this.#metrics.retries.inc({ topic: this.#topic });
    const { message, hint } = explain(error);
    if (message === this.#failure) return;
    this.#failure = message;
    this.#log.error(message, { topic: this.#topic, ...(hint === undefined ? {} : { hint }) });
  }

  #succeed(): void {
    this.#successAt = Date.now();
    this.#metrics.lastSuccess.set({ topic: this.#topic }, this.#successAt / 1000);
    if (this.#failure !== undefined) this.#log.info("working again", { topic: this.#topic });
    this.#failure = undefined;
  }
}

const UNKNOWN_TABLE = 60;

function explain(error: Error): { message: string; hint?: string | undefined } {
  if (error instanceof UserError) return error;
  const message = reasonOf(error);
  if (!(error instanceof DatabaseError) || error.code !== UNKNOWN_TABLE) return { message };
  return {
    message,
    hint: "run `pipeline ddl --tier service`, then `pipeline topics --tier service`",
  };
}
