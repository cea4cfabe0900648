import { query } from "../../dashboards/checks/prometheus.ts";
import { until } from "../kafka/harness.ts";
import { airflowLines } from "./airflow-lines.ts";
import {
  startPrometheus,
  startStatsdExporter,
  TestPipeline,
  type TestStatsd,
} from "./environment.ts";
import { openMetricsHistory } from "./history.ts";
import { sendLines } from "./send-lines.ts";
import type { TestService } from "./services.ts";

const FIRST_DATA_MS = 120_000;

export interface Pace {
  /** Seconds between two scrapes of Prometheus, an answer may take as long; null: as in a stack. */
  readonly scrapeSeconds: number | null;
  /** Seconds after which Airflow's lines come again. */
  readonly airflowSeconds: number;
}

/** What a stack does, and what it costs. */
export const AS_CONFIGURED: Pace = { scrapeSeconds: null, airflowSeconds: 5 };
/** A scrape may take as long as it is until the next: a busy machine needs more than a second. */
const SHORT: Pace = { scrapeSeconds: 4, airflowSeconds: 1 };

/**
 * The running pipeline with all that watches it. TestSystem-ins: Airflow is the lines it once sent, again
 * and again; the broker's exporter is our own; free disk of the hour before is what it is now.
 */
export class WatchedPipeline {
  readonly system: TestPipeline;
  readonly prometheus: TestService;
  readonly #statsd: TestStatsd;
  readonly #beat: NodeJS.Timeout;

  private constructor(
    system: TestPipeline,
    prometheus: TestService,
    statsd: TestStatsd,
    beat: NodeJS.Timeout,
  ) {
    this.system = system;
    this.prometheus = prometheus;
    this.#statsd = statsd;
    this.#beat = beat;
  }

  /** Ready when messages have gone through every layer and Prometheus has seen them. */
  static async open(pace: Pace = SHORT): Promise<WatchedPipeline> {
    const statsd = await startStatsdExporter();
    const send = () => void sendLines(statsd, airflowLines);
    const beat = setInterval(send, pace.airflowSeconds * 1_000);
    const { target } = statsd.service;
    const system = await TestPipeline.open({ scheduler: target, drill: "127.0.0.1:1" });
    let prometheus: TestService | undefined;
    try {
      const history = await openMetricsHistory(system.targets.database ?? "");
      const { scrapeSeconds } = pace;
      const options = { history, scrapeSeconds };
      prometheus = await startPrometheus(system.targets, system.password, options);
      const watched = new WatchedPipeline(system, prometheus, statsd, beat);
      await watched.#untilSeen();
      return watched;
    } catch (error) {
      // Nobody else could end what runs already, and the process would stay for it.
      clearInterval(beat);
      await prometheus?.stop();
      await system.close();
      await statsd.stop();
      throw error;
    }
  }

  async has(expr: string): Promise<boolean> {
    return (await query(this.prometheus.url, expr)).length > 0;
  }

  async close(): Promise<void> {
    clearInterval(this.#beat);
    await this.prometheus.stop();
    await this.system.close();
    await this.#statsd.stop();
  }

  async #untilSeen(): Promise<void> {
    await until("messages are stored", async () => (await this.#stored()) > 200, FIRST_DATA_MS);
    await this.system.transform();
    await until(
      "every rate has two samples",
      () => this.has("rate(up[5m]) >= 0 and on () count(pipeline_rows)"),
      FIRST_DATA_MS,
    );
    await until("lag is reported", () => this.has("kafka_consumergroup_lag >= 0"));
    await until(
      "scrapes after the transform",
      () => this.has('pipeline_newest_ingestion_timestamp_seconds{layer="dm"}'),
      FIRST_DATA_MS,
    );
  }

  async #stored(): Promise<number> {
    const [row] = await this.system.db.rows<{ rows: number }>(
      "SELECT count() AS rows FROM stg.browser_raw",
    );
    return Number(row?.rows ?? 0);
  }
}
