import { query } from "../../dashboards/checks/prometheus.ts";
import { waitFor } from "../kafka/harness.ts";
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

const FIRST_DATA_MS = 600_000;

export interface Pace {
  /** Seconds between two scrapes, also their time-out; null: as in a stack. */
  readonly scrapeSeconds: number | null;
  /** Seconds after which the recorded Airflow lines repeat. */
  readonly airflowSeconds: number;
}

/** Settings of a stack. */
export const AS_CONFIGURED: Pace = { scrapeSeconds: null, airflowSeconds: 5 };
/** The time-out equals the interval, because a busy machine needs more than a second. */
const SHORT: Pace = { scrapeSeconds: 4, airflowSeconds: 1 };

/**
 * The running pipeline with its monitoring. Stand-ins: recorded Airflow lines in a loop, our own
 * broker exporter, and the present free disk space for the past hour.
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

  /** Resolves when messages have reached every layer and Prometheus has scraped the result. */
  static async open(pace: Pace = SHORT): Promise<WatchedPipeline> {
    const statsd = await startStatsdExporter();
    const send = () => void sendLines(statsd, airflowLines);
    const beat = setInterval(send, pace.airflowSeconds * 1_000);
    const { target } = statsd.service;
    const system = await TestPipeline.open(target);
    let prometheus: TestService | undefined;
    try {
      const history = await openMetricsHistory(system.targets.database);
      const { scrapeSeconds } = pace;
      const options = { history, scrapeSeconds };
      prometheus = await startPrometheus(system.targets, system.password, options);
      const watched = new WatchedPipeline(system, prometheus, statsd, beat);
      await watched.#waitForData();
      return watched;
    } catch (error) {
      // Without this nothing could stop the processes, and the program would not exit.
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

  async #waitForData(): Promise<void> {
    await waitFor("messages are stored", async () => (await this.#stored()) > 200, FIRST_DATA_MS);
    await this.system.transform();
    await waitFor(
      "every rate has two samples",
      () => this.has("rate(up[5m]) >= 0 and on () count(pipeline_rows)"),
      FIRST_DATA_MS,
    );
    await waitFor("lag is reported", () => this.has("kafka_consumergroup_lag >= 0"));
    await waitFor(
      "scrapes after the transform",
      () => this.has('pipeline_newest_ingestion_timestamp_seconds{layer="dm"}'),
      FIRST_DATA_MS,
    );
  }

  async #stored(): Promise<number> {
    const [row] = await this.system.db.rows<{ rows: number }>(
      "SELECT count() AS rows FROM stg.raw",
    );
    return Number(row?.rows ?? 0);
  }
}
