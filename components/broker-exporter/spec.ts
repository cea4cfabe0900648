import { JOBS } from "../../dashboards/promql.ts";
import { type BrokerEndpoint, withBrokerPassword } from "../broker/endpoint.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import { commonSpec, imageOf, nobody, type Placement, publish } from "../shared/placement.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import { type BrokerExporterConfig, brokerExporterConfig } from "./config.ts";

const ALIAS = "kafka-exporter";
const PORT = 9308;
const CONFIG = "/etc/event-pipeline";
const CA = "ca.pem";
/** Protocol version of the exporter's client; current brokers refuse its default, 2.0. */
const PROTOCOL = "3.6.0";

export interface BrokerExporterPlan extends ServiceSpec {
  readonly service: ServicePlan;
}

export function planBrokerExporter(
  config: BrokerExporterConfig,
  at: Placement,
  broker: BrokerEndpoint,
): BrokerExporterPlan {
  const port = publish(at, "brokerExporter.port", PORT, config.port, "/metrics");
  const file = argumentsFile(broker);
  const ca = broker.security.tls?.ca;
  const files = configVolume("config", at.names.volume("kafka-exporter-config"), CONFIG, [
    file,
    ...(ca ? [{ path: CA, content: ca }] : []),
  ]);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "broker-exporter",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(at, brokerExporterConfig.images, "brokerExporter"),
    // The arguments may contain a password, and a process list shows a command line to everyone.
    command: [`@${CONFIG}/${file.path}`],
    user: nobody,
    ports: [port],
    health: wgetHealthCheck(PORT, "/"),
    memoryMiB: config.memoryMiB,
    cpus: config.cpus,
    graceSeconds: 5,
    replaceTriggers: { arguments: file.content, ...(ca ? { ca } : {}) },
  };
  return {
    scrape: [{ job: JOBS.broker, target: `${ALIAS}:${PORT}` }],
    service: servicePlan({ container, configs: [files] }),
  };
}

function argumentsFile(broker: BrokerEndpoint): ConfigFile {
  const { tls, sasl } = broker.security;
  const args = (password?: string) => [
    ...broker.inside.split(",").map((server) => `--kafka.server=${server}`),
    `--kafka.version=${PROTOCOL}`,
    // Excludes groups without members, because the lag of an unused group grows forever.
    "--no-offset.show-all",
    ...(tls ? ["--tls.enabled"] : []),
    ...(tls?.ca ? [`--tls.ca-file=${CONFIG}/${CA}`] : []),
    ...(sasl
      ? [
          "--sasl.enabled",
          `--sasl.mechanism=${MECHANISMS[sasl.mechanism]}`,
          `--sasl.username=${sasl.username}`,
          `--sasl.password=${password}`,
        ]
      : []),
  ];
  const text = (password?: string) => `${args(password).join("\n")}\n`;
  return { path: "arguments", content: withBrokerPassword(broker, text) };
}

const MECHANISMS: Readonly<Record<string, string>> = {
  PLAIN: "plain",
  "SCRAM-SHA-256": "scram-sha256",
  "SCRAM-SHA-512": "scram-sha512",
};
