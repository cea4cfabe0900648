import type { FastifyInstance } from "fastify";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { collectorRefusals, collectorMetrics as names } from "../contract/metrics.ts";
import type { Journal, Row } from "./journal.ts";

/** Upper bounds of the time to an answer, seconds: mostly the wait for the disk. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Counts what the collector accepts, refuses and delivers. */
export class CollectorMetrics {
  readonly registry = new Registry();
  readonly #registers = [this.registry];
  readonly #hits = new Counter({
    registers: this.#registers,
    name: names.hits,
    help: "Hits stored in the journal",
    labelNames: ["protocol", "result"],
  });
  readonly #refused = new Counter({
    registers: this.#registers,
    name: names.refused,
    help: "Requests refused",
    labelNames: ["reason"],
  });
  readonly #duration = new Histogram({
    registers: this.#registers,
    name: names.duration,
    help: "Seconds from a request to its answer",
    buckets: BUCKETS,
  });

  readonly #failures = new Counter({
    registers: this.#registers,
    name: names.failures,
    help: "Deliveries that failed",
  });

  constructor() {
    // A counter that begins with its first increment has no rate.
    for (const reason of Object.values(collectorRefusals)) this.#refused.inc({ reason }, 0);
  }

  readonly stored = (rows: readonly Row[]): void => {
    for (const { protocol, reason } of rows)
      this.#hits.inc({ protocol, result: reason === "" ? "good" : "bad" });
  };

  readonly failed = (): void => this.#failures.inc();

  watch(app: FastifyInstance, journal: Journal): void {
    app.addHook("onResponse", async (_, { statusCode, elapsedTime }) => {
      this.#duration.observe(elapsedTime / 1000);
      if (statusCode >= 400)
        this.#refused.inc({ reason: collectorRefusals[statusCode] ?? "other" });
    });
    this.#gauge(names.waiting, "Hits not delivered yet", () => journal.end - journal.begin);
    this.#gauge(names.waitingBytes, "Bytes of hits not delivered yet", () => journal.bytes);
    this.#gauge(names.oldestWaiting, "Age of the oldest hit not delivered yet", () =>
      journal.since === undefined ? 0 : (Date.now() - journal.since) / 1000,
    );
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      registers: this.#registers,
      name,
      help,
      collect() {
        this.set(read());
      },
    });
  }
}
