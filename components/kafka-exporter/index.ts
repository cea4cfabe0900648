import * as pulumi from "@pulumi/pulumi";
import type { BrokerConnection } from "../../contract/broker.ts";
import { JOBS } from "../../dashboards/promql.ts";
import type { KafkaConnection } from "../kafka/connection.ts";
import { wgetHealth } from "../shared/health.ts";
import { NOBODY } from "../shared/names.ts";
import type { Network } from "../shared/network.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import { Service } from "../shared/service.ts";
import type { KafkaExporterSettings } from "./config.ts";

const PORT = 9308;
const ARGUMENTS = "/etc/event-pipeline/arguments";
const CA = "/etc/event-pipeline/ca.pem";
/** Protocol version of the exporter's client; current brokers refuse its default, 2.0. */
const PROTOCOL = "3.6.0";

export interface KafkaExporterArgs extends KafkaExporterSettings {
  readonly network: Network;
  readonly kafka: KafkaConnection;
}

/** Serves Kafka's offsets and lags to Prometheus. */
export class KafkaExporter extends pulumi.ComponentResource {
  readonly scrape: readonly ScrapeJob[];

  constructor(name: string, args: KafkaExporterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:KafkaExporter", name, {}, opts);
    const { network, kafka } = args;
    const service = new Service(
      name,
      {
        ...args,
        // The arguments may contain a password, and a process list shows a command line to everyone.
        command: [`@${ARGUMENTS}`],
        user: NOBODY,
        ports: [network.publish(PORT, args.port)],
        health: wgetHealth(PORT, "/"),
        graceSeconds: 5,
        uses: [kafka.settings(ARGUMENTS, argumentsOf, CA)],
      },
      { parent: this },
    );
    this.scrape = [{ job: JOBS.broker, target: `${name}:${PORT}`, use: service.use }];
    this.registerOutputs({ target: `${name}:${PORT}` });
  }
}

const argumentsOf = ({ bootstrap, tls, sasl }: BrokerConnection): string =>
  [
    ...bootstrap.map((server) => `--kafka.server=${server}`),
    `--kafka.version=${PROTOCOL}`,
    // Excludes groups without members, because the lag of an unused group grows forever.
    "--no-offset.show-all",
    ...(tls ? ["--tls.enabled"] : []),
    ...(tls?.ca ? [`--tls.ca-file=${CA}`] : []),
    ...(sasl
      ? [
          "--sasl.enabled",
          // SCRAM-SHA-256 is scram-sha256 here.
          `--sasl.mechanism=${sasl.mechanism.toLowerCase().replace(/-(?=\d)/, "")}`,
          `--sasl.username=${sasl.username}`,
          `--sasl.password=${sasl.password}`,
        ]
      : []),
    "",
  ].join("\n");
