import { withBrokerPassword } from "../shared/broker-password.ts";
import { commonSpec, imageOf, nobody, type PlanContext, publish } from "../shared/context.ts";
import type { BrokerEndpoint } from "../shared/endpoints.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ServicePlan,
  type ServiceSpec,
} from "../shared/spec.ts";
import { brokerExporterConfig } from "./config.ts";

const ALIAS = "kafka-exporter";
const PORT = 9308;
const CONFIG = "/etc/event-pipeline";
/** Protocol version of the exporter's client; current brokers refuse its default, 2.0. */
const PROTOCOL = "3.6.0";

export interface BrokerExporterPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly target: string;
}

/** Null if disabled. */
export function planBrokerExporter(
  context: PlanContext,
  broker: BrokerEndpoint,
): BrokerExporterPlan | null {
  const { brokerExporter, metrics } = context.config;
  if (!brokerExporter.enabled || !metrics.enabled) return null;
  const port = publish(context, "brokerExporter.port", PORT, brokerExporter.port);
  const file = argumentsFile(broker);
  const config = configVolume("config", context.names.volume("kafka-exporter-config"), [file]);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "broker-exporter",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(context, brokerExporterConfig.images, "brokerExporter"),
    // A file, because arguments are visible to all and it may contain a password.
    command: [`@${CONFIG}/${file.path}`],
    user: nobody,
    ports: [port],
    mounts: [{ volume: config.volume, path: CONFIG, readOnly: true }],
    health: wgetHealthCheck(PORT, "/"),
    memoryMiB: brokerExporter.memoryMiB,
    cpus: brokerExporter.cpus,
    graceSeconds: 5,
    startTexts: { arguments: file.content },
  };
  return {
    target: `${ALIAS}:${PORT}`,
    service: {
      container,
      configs: [config],
      dataVolumes: [],
    },
  };
}

function argumentsFile(broker: BrokerEndpoint): ConfigFile {
  const { tls, sasl } = broker.security;
  const args = (password?: string) => [
    ...broker.inside.split(",").map((server) => `--kafka.server=${server}`),
    `--kafka.version=${PROTOCOL}`,
    // Only connected groups, because the lag of an unused one would grow forever.
    "--no-offset.show-all",
    ...(tls ? ["--tls.enabled"] : []),
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
