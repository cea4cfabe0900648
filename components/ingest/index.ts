import * as pulumi from "@pulumi/pulumi";
import { JOBS } from "../../dashboards/promql.ts";
import { type ClickHouseConnection, insideEnvironment } from "../clickhouse/connection.ts";
import { insideEnvironment as insideKafka, type KafkaConnection } from "../kafka/connection.ts";
import { builtImage } from "../shared/built-image.ts";
import type { Limits } from "../shared/docker-traps.ts";
import { httpHealth } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import { SECRET_FILES, Service } from "../shared/service.ts";

const PORT = 9110;
const CLICKHOUSE_PASSWORD_FILE = `${SECRET_FILES}/clickhouse-password`;
const KAFKA_PASSWORD_FILE = `${SECRET_FILES}/kafka-sasl-password`;

export interface IngestArgs extends Limits {
  readonly network: Network;
  /** Image with Node, on which the service's image builds. */
  readonly nodeImage: string;
  readonly kafka: KafkaConnection;
  /** ClickHouse with all tables. */
  readonly clickhouse: ClickHouseConnection;
  /** Port on this machine, without the stack's offset. */
  readonly port: number;
}

/** Reads the topics and stores them in a ClickHouse that has no Kafka engine. */
export class Ingest extends pulumi.ComponentResource {
  readonly scrape: readonly ScrapeJob[];

  constructor(name: string, args: IngestArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Ingest", name, {}, opts);
    const { network, nodeImage, kafka, clickhouse, memoryMiB, cpus } = args;
    const dockerfile = "images/ingest/Dockerfile";
    const service = new Service(
      name,
      {
        ...{ network, memoryMiB, cpus },
        image: builtImage(name, { network, dockerfile, base: nodeImage }, this),
        environment: {
          ...insideKafka(kafka, KAFKA_PASSWORD_FILE),
          ...insideEnvironment(clickhouse, CLICKHOUSE_PASSWORD_FILE),
        },
        user: "1000:1000",
        ports: [network.publish(PORT, args.port)],
        files: {
          [CLICKHOUSE_PASSWORD_FILE]: clickhouse.password,
          ...(kafka.sasl ? { [KAFKA_PASSWORD_FILE]: kafka.sasl.password } : {}),
        },
        health: httpHealth(PORT, "/healthz"),
        graceSeconds: 30,
        after: [...kafka.ready, ...clickhouse.ready],
      },
      { parent: this },
    );
    this.scrape = [{ job: JOBS.ingest, target: `${name}:${PORT}`, ready: [service.ready] }];
    this.registerOutputs({ target: `${name}:${PORT}` });
  }
}
