import * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import type { BrokerConnection } from "../../contract/broker.ts";
import type { KafkaConnection } from "../kafka/connection.ts";
import { wgetHealth } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import type { Page } from "../shared/page.ts";
import { Service } from "../shared/service.ts";
import type { KafkaUiSettings } from "./config.ts";

const PORT = 8080;
const SETTINGS = "/etc/event-pipeline/kafka-ui.yml";

export interface KafkaUiArgs extends KafkaUiSettings {
  readonly network: Network;
  readonly kafka: KafkaConnection;
}

/** Kafka UI: topics, messages and consumer groups in a browser. */
export class KafkaUi extends pulumi.ComponentResource {
  readonly page: Page;

  constructor(name: string, args: KafkaUiArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:KafkaUi", name, {}, opts);
    const { network, kafka } = args;
    const port = network.publish(PORT, args.port);
    new Service(
      name,
      {
        ...args,
        environment: {
          SPRING_CONFIG_ADDITIONALLOCATION: SETTINGS,
          JAVA_OPTS: `-Xmx${Math.floor(args.memoryMiB / 2)}m`,
        },
        user: "kafkaui",
        ports: [port],
        tmpfs: { "/tmp": "" },
        health: wgetHealth(PORT, "/actuator/health", {
          everySeconds: 5,
          timeoutSeconds: 5,
          unhealthyAfterSeconds: 120,
        }),
        graceSeconds: 10,
        uses: [kafka.settings(SETTINGS, (one) => kafkaUiSettings(network.names.stack, one))],
      },
      { parent: this },
    );
    this.page = { title: "Kafka UI", url: network.url(port), isTool: true };
    this.registerOutputs({ url: this.page.url });
  }
}

/** Returns the settings of Kafka UI, with properties of Kafka's Java client. */
export function kafkaUiSettings(
  cluster: string,
  { bootstrap, tls, sasl }: BrokerConnection,
): string {
  const properties = {
    "security.protocol": sasl ? (tls ? "SASL_SSL" : "SASL_PLAINTEXT") : tls ? "SSL" : "PLAINTEXT",
    ...(tls?.ca ? { "ssl.truststore.type": "PEM", "ssl.truststore.certificates": tls.ca } : {}),
    ...(sasl ? { "sasl.mechanism": sasl.mechanism, "sasl.jaas.config": loginModule(sasl) } : {}),
  };
  const bootstrapServers = bootstrap.join();
  return stringify({ kafka: { clusters: [{ name: cluster, bootstrapServers, properties }] } });
}

const quote = (value: string): string => `"${value.replace(/["\\]/g, "\\$&")}"`;

const loginModule = ({
  mechanism,
  username,
  password,
}: NonNullable<BrokerConnection["sasl"]>): string => {
  const module = mechanism === "PLAIN" ? "plain.PlainLoginModule" : "scram.ScramLoginModule";
  return `org.apache.kafka.common.security.${module} required username=${quote(username)} password=${quote(password)};`;
};
