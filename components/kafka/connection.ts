import type * as pulumi from "@pulumi/pulumi";
import type { BrokerConnection } from "../../contract/broker.ts";
import type { Client } from "../shared/commands.ts";
import { type ContainerClient, type Ready, SECRET_FILES } from "../shared/service.ts";

/** What a client of Kafka needs. */
export interface KafkaConnection {
  /** Bootstrap servers for containers, several separated by commas. */
  readonly bootstrap: string;
  /** Bootstrap servers for this machine. */
  readonly hostBootstrap: string;
  /** TLS; null without encryption. `ca`: certificates (PEM) that replace the system's. */
  readonly tls: { readonly ca?: string } | null;
  readonly sasl: KafkaLogin | null;
  /** What has to be ready before a client connects. */
  readonly ready: readonly Ready[];
}

interface KafkaLogin {
  readonly mechanism: NonNullable<BrokerConnection["sasl"]>["mechanism"];
  readonly username: string;
  readonly password: pulumi.Output<string>;
}

const PASSWORD_FILE = `${SECRET_FILES}/kafka-sasl-password`;

/** Client in a container. */
export const kafkaContainerClient = (kafka: KafkaConnection): ContainerClient => ({
  environment: {
    KAFKA_BOOTSTRAP_SERVERS: kafka.bootstrap,
    ...security(kafka),
    ...(kafka.sasl ? { KAFKA_SASL_PASSWORD_FILE: PASSWORD_FILE } : {}),
  },
  files: kafka.sasl ? { [PASSWORD_FILE]: kafka.sasl.password } : {},
});

/** Client on this machine. */
export const kafkaClient = (kafka: KafkaConnection): Client => ({
  environment: {
    KAFKA_BOOTSTRAP_SERVERS: kafka.hostBootstrap,
    ...security(kafka),
    ...(kafka.sasl ? { KAFKA_SASL_PASSWORD: kafka.sasl.password } : {}),
  },
  ready: kafka.ready,
});

const security = ({ tls, sasl }: KafkaConnection) => ({
  ...(tls ? { KAFKA_TLS: "true" } : {}),
  ...(tls?.ca ? { KAFKA_TLS_CA: tls.ca } : {}),
  ...(sasl ? { KAFKA_SASL_MECHANISM: sasl.mechanism, KAFKA_SASL_USERNAME: sasl.username } : {}),
});

/** Renders a text for a client in a container; with a login, the text is secret. */
export function textFor(
  { bootstrap, tls, sasl }: KafkaConnection,
  render: (connection: BrokerConnection) => string,
): pulumi.Input<string> {
  const connection = { bootstrap: bootstrap.split(","), tls };
  if (sasl === null) return render({ ...connection, sasl });
  return sasl.password.apply((password) => render({ ...connection, sasl: { ...sasl, password } }));
}
