import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { JOBS } from "../../dashboards/promql.ts";
import type { ClickHouseConnection } from "../clickhouse/connection.ts";
import type { KafkaConnection } from "../kafka/connection.ts";
import { builtImage } from "../shared/built-image.ts";
import { httpHealth } from "../shared/health.ts";
import { isLoopback } from "../shared/names.ts";
import type { Network } from "../shared/network.ts";
import type { Page } from "../shared/page.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import { mountOf, Service } from "../shared/service.ts";
import type { Use } from "../shared/use.ts";
import type { CollectorSettings } from "./config.ts";

const PORT = 9135;
/** Port of metrics and health, which only containers reach. */
const METRICS_PORT = 9136;
const JOURNAL = "/data";

export interface CollectorArgs extends CollectorSettings {
  readonly network: Network;
  /** Keeps the journal. */
  readonly data: docker.Volume;
  /** Kafka with all topics. */
  readonly kafka: KafkaConnection;
  /** ClickHouse with all tables. */
  readonly clickhouse: ClickHouseConnection;
}

/** The collector of hits, which sends them to Kafka. */
export class Collector extends pulumi.ComponentResource {
  readonly client: Use;
  readonly page: Page;
  readonly scrape: readonly ScrapeJob[];

  constructor(name: string, args: CollectorArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Collector", name, {}, opts);
    const { network, kafka, clickhouse } = args;
    const port = network.publish(PORT, args.port);
    const dockerfile = "images/pipeline/Dockerfile";
    const { use } = new Service(
      name,
      {
        ...args,
        image: builtImage(name, { network, dockerfile, base: args.image }, this),
        command: ["node", "cli/main.ts", "collect", ...optionsOf(args, isLoopback(port.bind))],
        user: "1000:1000",
        ports: [port],
        mounts: [mountOf(args.data, JOURNAL)],
        health: httpHealth(METRICS_PORT, "/healthz"),
        graceSeconds: 30,
        uses: [kafka.use, clickhouse.use],
      },
      { parent: this },
    );
    const url = network.url(port);
    this.client = { environment: { COLLECTOR_URL: url }, ...use };
    this.page = { title: "Collector", url, isTool: true };
    this.scrape = [{ job: JOBS.collector, target: `${name}:${METRICS_PORT}`, use }];
    this.registerOutputs({ url });
  }
}

/** Returns the options of the command. @param isLocal true if only this machine reaches the port */
const optionsOf = (settings: CollectorSettings, isLocal: boolean): string[] => [
  ...["--bind", "0.0.0.0", "--port", `${PORT}`, "--metrics-port", `${METRICS_PORT}`],
  ...["--journal", JOURNAL, "--journal-mb", `${settings.journalMb}`],
  ...["--address", settings.address, "--rate", `${settings.rate}`],
  ...settings.origins.flatMap((origin) => ["--origin", origin]),
  ...settings.sites.flatMap((site) => ["--site", site]),
  ...(settings.proxy ? ["--proxy", settings.proxy] : []),
  ...(isLocal ? ["--published-locally"] : []),
];
