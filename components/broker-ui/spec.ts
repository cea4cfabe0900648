import { stringify } from "yaml";
import { type BrokerEndpoint, withBrokerPassword } from "../broker/endpoint.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import { commonSpec, hostUrl, imageOf, type Placement, publish } from "../shared/placement.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import { type BrokerUiConfig, brokerUiConfig } from "./config.ts";

const ALIAS = "kafka-ui";
const PORT = 8080;
const CONFIG = "/etc/event-pipeline";

export interface BrokerUiPlan extends ServiceSpec {
  readonly service: ServicePlan;
}

export function planBrokerUi(
  config: BrokerUiConfig,
  at: Placement,
  broker: BrokerEndpoint,
): BrokerUiPlan {
  const port = publish(at, "brokerUi.port", PORT, config.port, "/actuator/health");
  const file = uiSettings(at.names.stack, broker);
  const files = configVolume("config", at.names.volume("kafka-ui-config"), CONFIG, [file]);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "broker-ui",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(at, brokerUiConfig.images, "brokerUi"),
    environment: {
      SPRING_CONFIG_ADDITIONALLOCATION: `${CONFIG}/${file.path}`,
      JAVA_OPTS: `-Xmx${Math.floor(config.memoryMiB / 2)}m`,
    },
    user: "kafkaui",
    ports: [port],
    tmpfs: ["/tmp"],
    health: wgetHealthCheck(PORT, "/actuator/health", {
      everySeconds: 5,
      timeoutSeconds: 5,
      unhealthyAfterSeconds: 120,
    }),
    memoryMiB: config.memoryMiB,
    cpus: config.cpus,
    graceSeconds: 10,
    replaceTriggers: { settings: file.content },
  };
  return {
    address: { title: "Kafka UI", url: hostUrl(at, port), isTool: true },
    service: servicePlan({ container, configs: [files] }),
  };
}

function uiSettings(name: string, broker: BrokerEndpoint): ConfigFile {
  const { tls, sasl } = broker.security;
  const properties = (password: string) => ({
    "security.protocol": sasl ? (tls ? "SASL_SSL" : "SASL_PLAINTEXT") : tls ? "SSL" : "PLAINTEXT",
    ...(tls?.ca ? { "ssl.truststore.type": "PEM", "ssl.truststore.certificates": tls.ca } : {}),
    ...(sasl
      ? {
          "sasl.mechanism": sasl.mechanism,
          "sasl.jaas.config": loginModule(sasl, password),
        }
      : {}),
  });
  const text = (password = "") => {
    const cluster = { name, bootstrapServers: broker.inside };
    return stringify({ kafka: { clusters: [{ ...cluster, properties: properties(password) }] } });
  };
  return { path: "kafka-ui.yaml", content: withBrokerPassword(broker, text) };
}

const LOGIN_MODULES: Readonly<Record<string, string>> = {
  PLAIN: "org.apache.kafka.common.security.plain.PlainLoginModule",
  "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
  "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
};

const quote = (value: string): string => `"${value.replace(/["\\]/g, "\\$&")}"`;

const loginModule = (sasl: { mechanism: string; username: string }, password: string): string =>
  `${LOGIN_MODULES[sasl.mechanism]} required username=${quote(sasl.username)} password=${quote(password)};`;
