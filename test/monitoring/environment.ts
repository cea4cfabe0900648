import { createSocket } from "node:dgram";
import { join } from "node:path";
import { Registry } from "prom-client";
import { stringify } from "yaml";
import { layersJob } from "../../components/clickhouse/settings.ts";
import { prometheusSettings } from "../../components/prometheus/settings.ts";
import { alertRules } from "../../dashboards/alerts/rules.ts";
import { prometheusRules } from "../../dashboards/delivery/prometheus.ts";
import type { Stoppable } from "../../dashboards/drills/breakages.ts";
import { listen } from "../../generator/service/listen.ts";
import { type Exporter, startExporter } from "../../images/offline/kafka-exporter/exporter.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { answer } from "../../warehouse/ingest/service.ts";
import { TestBroker } from "../kafka/broker.ts";
import { CollectorProcess } from "../kafka/collector-process.ts";
import { type Consumer, openWholeConsumer } from "../kafka/consumer.ts";
import { GeneratorProcess } from "../kafka/generator.ts";
import { KafkaSystem } from "../kafka/system.ts";
import { type ContainerDatabase, DATABASE_SECRETS } from "../support/container-database.ts";
import { freePort } from "../support/ports.ts";
import { storeHistory } from "./history.ts";
import { TestService } from "./services.ts";
import { tools } from "./tools.ts";

export interface TestStatsd {
  readonly service: TestService;
  send(line: string): Promise<void>;
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/** The real statsd_exporter, as in a stack. */
export async function startStatsdExporter(): Promise<TestStatsd> {
  const udp = await freePort();
  const service = await TestService.start(tools.statsdExporter(), "/-/healthy", {}, (_, port) => [
    `--statsd.listen-udp=127.0.0.1:${udp}`,
    "--statsd.listen-tcp=",
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const socket = createSocket("udp4");
  return {
    service,
    send: (line) =>
      new Promise((resolve, reject) => {
        socket.send(line, udp, "127.0.0.1", (error) => (error ? reject(error) : resolve()));
      }),
    metrics: async () => (await fetch(`${service.url}/metrics`)).text(),
    stop: async () => {
      socket.close();
      await service.stop();
    },
  };
}

/** Addresses on this machine. */
interface Targets {
  readonly database: string;
  readonly databaseUrl: string;
  readonly broker: string;
  readonly generator: string;
  readonly collector: string;
  /** The endpoint of `pipeline ingest`, which reads nothing: the Kafka engine has the partitions. */
  readonly ingest: string;
  readonly scheduler: string;
}

const jobsOf = ({ databaseUrl, ...plain }: Targets & { prometheus: string }) => [
  ...Object.entries(plain).map(([job, target]) => ({ job, target })),
  { ...layersJob(databaseUrl), login: { user: "monitor", passwordFile: "password" } },
];

interface PrometheusOptions {
  /** Factor for every duration of a rule. */
  readonly scale?: number;
  /** Samples from before its start, in OpenMetrics. */
  readonly history?: string;
  /** Scrape interval; null: as in the stack's configuration. */
  readonly scrapeSeconds?: number | null;
}

/** The real Prometheus with the stack's configuration, except for its intervals. */
export async function startPrometheus(
  targets: Targets,
  password: string,
  { scale = 1, history = "", scrapeSeconds = 1 }: PrometheusOptions = {},
): Promise<TestService> {
  const port = await freePort();
  const scraped = jobsOf({ ...targets, prometheus: `127.0.0.1:${port}` });
  const config = prometheusSettings(scraped, "rules.yml", 30);
  const pace = scrapeSeconds === null ? undefined : `${scrapeSeconds}s`;
  const jobs = config.scrape_configs.map((job) => ({
    ...job,
    ...(pace ? { scrape_interval: pace, scrape_timeout: pace } : {}),
  }));
  const files = {
    "prometheus.yml": stringify({ ...config, scrape_configs: jobs }),
    "rules.yml": prometheusRules(alertRules, { scale }),
    "history.txt": history,
    password,
  };
  const args = (folder: string) => {
    if (history !== "") storeHistory(`${folder}/history.txt`, `${folder}/data`);
    return [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
  };
  return TestService.start(tools.prometheus(), "/-/ready", files, args, port);
}

const GENERATOR_SETTINGS = {
  GEN_TICK_SECONDS: "1",
  GEN_LAMBDA_BASE_PER_MIN: "600",
  GEN_MODEL_T0: "now",
  GEN_DEFECTS: "malformed=0.05,late=0.02,bad_geo=0.05",
};

/** All services of the pipeline on this machine that Prometheus scrapes in a stack. */
export class TestPipeline {
  readonly targets: Targets;
  /** Password of the user `monitor`. */
  readonly password = DATABASE_SECRETS.clickhouseMonitorPassword;
  readonly db: Consumer;
  readonly broker: TestBroker;
  /** Connection of a user with all rights. */
  readonly databaseUrl: string;
  readonly collectorUrl: string;
  /** Services that drills stop. */
  readonly services: Readonly<Record<"broker" | "generator", Stoppable>>;
  readonly #close: () => Promise<void>;

  private constructor(
    parts: Omit<TestPipeline, "password" | "transform" | "close">,
    close: () => Promise<void>,
  ) {
    this.targets = parts.targets;
    this.db = parts.db;
    this.broker = parts.broker;
    this.databaseUrl = parts.databaseUrl;
    this.collectorUrl = parts.collectorUrl;
    this.services = parts.services;
    this.#close = close;
  }

  static async open(scheduler: string): Promise<TestPipeline> {
    const kafka = new KafkaSystem({
      broker: () => TestBroker.start(),
      database: openWholeConsumer,
    });
    await kafka.open();
    const { broker, connection, db } = kafka;
    const exporter = await startExporter({ port: 0, connection });
    // A restarted service must keep its address.
    const port = String(await freePort());
    const startGenerator = () =>
      new GeneratorProcess(broker.bootstrap, {
        GENERATOR_HTTP_PORT: port,
        ...GENERATOR_SETTINGS,
      }).listening();
    let generator = await startGenerator();
    const services = {
      broker: { stop: () => broker.shutDown(), start: () => broker.restart() },
      generator: {
        stop: async () => void (await generator.stop()),
        start: async () => {
          generator = await startGenerator();
        },
      },
    };
    const collector = await CollectorProcess.start({
      bootstrap: broker.bootstrap,
      database: db.env,
      journal: join(kafka.directory, "journal"),
    });
    // Counters by outcome have no series before a hit; a bad one becomes no event.
    await fetch(`${collector.url}/hit`, { method: "POST", body: "{}" });
    const ingest = await listen(
      { host: "127.0.0.1", port: 0, variable: "none" },
      answer(new Registry(), { failure: undefined }),
    );
    const { url } = db.database;
    const databaseUrl = url.replace("://", `://default:${DATABASE_SECRETS.clickhousePassword}@`);
    const targets = targetsOf(db.database, exporter, generator, {
      collector: collector.target,
      ingest: `127.0.0.1:${ingest.port}`,
      scheduler,
    });
    const parts = { targets, db, broker, databaseUrl, collectorUrl: collector.url, services };
    return new TestPipeline(parts, async () => {
      await generator.stop();
      await collector.stop();
      await ingest.close();
      await exporter.close();
      await kafka.close();
    });
  }

  transform() {
    return transform(this.db, { fullRefresh: true, waitSeconds: 60 });
  }

  close(): Promise<void> {
    return this.#close();
  }
}

const targetsOf = (
  database: ContainerDatabase,
  exporter: Exporter,
  generator: GeneratorProcess,
  others: Pick<Targets, "collector" | "ingest" | "scheduler">,
): Targets => ({
  database: `127.0.0.1:${database.metrics}`,
  databaseUrl: database.url,
  broker: `127.0.0.1:${exporter.port}`,
  generator: generator.target,
  ...others,
});
