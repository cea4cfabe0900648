import { stringify } from "yaml";
import { withBrokerPassword } from "../shared/broker-password.ts";
import { commonSpec, hostUrl, imageOf, type PlanContext, publish } from "../shared/context.ts";
import type { BrokerEndpoint } from "../shared/endpoints.ts";
import { wgetHealthCheck } from "../shared/health.ts";
import {
  type ConfigFile,
  type ContainerSpec,
  configVolume,
  type ServicePlan,
  type ServiceSpec,
} from "../shared/spec.ts";
import { brokerUiConfig } from "./config.ts";

const ALIAS = "kafka-ui";
const PORT = 8080;
const CONFIG = "/etc/event-pipeline";

export interface BrokerUiPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly url: string;
}

/** Null if disabled. */
export function planBrokerUi(context: PlanContext, broker: BrokerEndpoint): BrokerUiPlan | null {
  const { brokerUi } = context.config;
  if (!brokerUi.enabled) return null;
  const port = publish(context, "brokerUi.port", PORT, brokerUi.port);
  const file = uiSettings(context, broker);
  const config = configVolume("config", context.names.volume("kafka-ui-config"), [file]);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "broker-ui",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(context, brokerUiConfig.images, "brokerUi"),
    environment: {
      SPRING_CONFIG_ADDITIONALLOCATION: `${CONFIG}/${file.path}`,
      JAVA_OPTS: `-Xmx${Math.floor(brokerUi.memoryMiB / 2)}m`,
    },
    user: "kafkaui",
    ports: [port],
    mounts: [{ volume: config.volume, path: CONFIG, readOnly: true }],
    tmpfs: ["/tmp"],
    health: wgetHealthCheck(PORT, "/actuator/health", {
      everySeconds: 5,
      timeoutSeconds: 5,
      patienceSeconds: 120,
    }),
    memoryMiB: brokerUi.memoryMiB,
    cpus: brokerUi.cpus,
    graceSeconds: 10,
    startTexts: { settings: file.content },
  };
  return {
    url: hostUrl(context, port),
    address: { title: "Kafka UI", url: hostUrl(context, port), isTool: true },
    service: {
      container,
      configs: [config],
      dataVolumes: [],
    },
  };
}

function uiSettings(context: PlanContext, broker: BrokerEndpoint): ConfigFile {
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
    const cluster = { name: context.names.stack, bootstrapServers: broker.inside };
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
