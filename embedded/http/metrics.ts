import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Session } from "chdb";
import type { EmbeddedEngine } from "../engine.ts";
import { ASYNCHRONOUS, ERRORS, EVENTS, METRICS } from "./metrics-sql.ts";
import { OsMetrics, type Sample } from "./os-metrics.ts";

interface Snapshot {
  readonly text: string;
  readonly takenAt: number;
}

/** Longest wait for new values, ms; then the scraper gets the previous values. */
const PATIENCE_MS = 2_000;
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=UTF-8";

export class Metrics {
  connections: () => Promise<number> = async () => 0;
  readonly #engine: EmbeddedEngine;
  readonly #session: Session;
  readonly #os = new OsMetrics();
  #last: Snapshot | undefined;
  #refreshing: Promise<void> | undefined;

  constructor(engine: EmbeddedEngine) {
    this.#engine = engine;
    this.#session = engine.connect();
  }

  /** Sends the metrics; the previous values with their age if the engine is busy. */
  async send(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await Promise.race([this.#refresh(), pause(PATIENCE_MS)]);
    if (this.#last === undefined) {
      response.writeHead(503, { "Content-Type": "text/plain; charset=UTF-8", "Retry-After": "5" });
      response.end("The engine is busy; no metrics are available yet.\n");
      return;
    }
    const text = this.#last.text + age(this.#last);
    const gzip = acceptsGzip(request);
    response.writeHead(200, {
      "Content-Type": CONTENT_TYPE,
      ...(gzip ? { "Content-Encoding": "gzip" } : {}),
    });
    // Synchronous, because all worker threads may be busy.
    response.end(gzip ? gzipSync(text, { level: 1 }) : text);
  }

  close(): void {
    this.#session.close();
  }

  /** Reads new values; keeps the previous values on failure. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#read()
      .then((text) => {
        this.#last = { text, takenAt: Date.now() };
      })
      .catch(() => undefined)
      .finally(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  async #read(): Promise<string> {
    const connections = await this.connections();
    const metrics = (await this.#rows(METRICS)).map((row) =>
      row.name === "HTTPConnection" ? { ...row, value: connections } : row,
    );
    const asynchronous = [
      ...(await this.#rows(ASYNCHRONOUS)),
      ...(await this.#os.read(this.#engine.directory)),
    ];
    return [
      family("ClickHouseProfileEvents_", "counter", await this.#rows(EVENTS)),
      family("ClickHouseMetrics_", "gauge", metrics),
      family("ClickHouseAsyncMetrics_", "gauge", asynchronous),
      family("ClickHouseErrorMetric_", "counter", await this.#rows(ERRORS)),
    ].join("");
  }

  async #rows(sql: string): Promise<Sample[]> {
    const result = await this.#session.queryAsync(sql, { format: "JSONCompactEachRow" });
    return result
      .text()
      .split("\n")
      .filter(Boolean)
      .map((line) => {
        const [name, value, help] = JSON.parse(line) as [string, number, string];
        return { name, value, help };
      });
  }
}

const family = (prefix: string, type: "counter" | "gauge", samples: readonly Sample[]): string =>
  samples
    .map(({ name, value, help }) => {
      const key = prefix + name.replaceAll(/[^A-Za-z0-9_:]/g, "_");
      const text = help.replaceAll("\\", "\\\\").replaceAll(/\s*\n\s*/g, " ");
      return `# HELP ${key} ${text}\n# TYPE ${key} ${type}\n${key} ${value}\n`;
    })
    .join("");

const AGE = "embedded_metrics_age_seconds";

const age = ({ takenAt }: Snapshot): string =>
  `# HELP ${AGE} Seconds since the values above were read\n# TYPE ${AGE} gauge\n` +
  `${AGE} ${((Date.now() - takenAt) / 1000).toFixed(3)}\n`;

const acceptsGzip = ({ headers }: IncomingMessage): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(headers["accept-encoding"] ?? ""));

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
