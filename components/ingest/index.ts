import * as pulumi from "@pulumi/pulumi";
import { JOBS } from "../../dashboards/promql.ts";
import type { ClickHouseConnection } from "../clickhouse/connection.ts";
import type { KafkaConnection } from "../kafka/connection.ts";
import { builtImage } from "../shared/built-image.ts";
import { httpHealth } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import { Service } from "../shared/service.ts";
import type { IngestSettings } from "./config.ts";

const PORT = 9110;

export interface IngestArgs extends IngestSettings {
  readonly network: Network;
  readonly kafka: KafkaConnection;
  /** ClickHouse with all tables. */
  readonly clickhouse: ClickHouseConnection;
}

/** Reads the topics and stores them in a ClickHouse that has no Kafka engine. */
export class Ingest extends pulumi.ComponentResource {
  readonly scrape: readonly ScrapeJob[];

  constructor(name: string, args: IngestArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Ingest", name, {}, opts);
    const { network, kafka, clickhouse } = args;
    const dockerfile = "images/pipeline/Dockerfile";
    const service = new Service(
      name,
      {
        ...args,
        image: builtImage(name, { network, dockerfile, base: args.image }, this),
        command: ["node", "cli/main.ts", "ingest"],
        user: "1000:1000",
        ports: [network.publish(PORT, args.port)],
        health: httpHealth(PORT, "/healthz"),
        graceSeconds: 30,
        uses: [kafka.use, clickhouse.use],
      },
      { parent: this },
    );
    this.scrape = [{ job: JOBS.ingest, target: `${name}:${PORT}`, use: service.use }];
    this.registerOutputs({ target: `${name}:${PORT}` });
  }
}
