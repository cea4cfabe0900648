import type * as pulumi from "@pulumi/pulumi";
import { type KafkaConnection, kafkaClient } from "../kafka/connection.ts";
import { type Client, joinClients } from "../shared/commands.ts";
import { type ContainerClient, type Ready, SECRET_FILES } from "../shared/service.ts";

export interface Account {
  readonly user: string;
  readonly password: pulumi.Output<string>;
}

/** What the administrator's clients need. */
export interface ClickHouseConnection extends Account {
  /** Address of the HTTP interface for containers. */
  readonly url: string;
  /** Address of the HTTP interface for this machine. */
  readonly hostUrl: string;
  /** What stores the topics. */
  readonly ingest: "kafka-engine" | "service";
  /** What has to be ready before a client connects. */
  readonly ready: readonly Ready[];
}

const PASSWORD_FILE = `${SECRET_FILES}/clickhouse-password`;

/** Client in a container. */
export const clickhouseContainerClient = (clickhouse: ClickHouseConnection): ContainerClient => ({
  environment: {
    CLICKHOUSE_URL: clickhouse.url,
    CLICKHOUSE_PASSWORD_FILE: PASSWORD_FILE,
    ...accountVariables(clickhouse),
  },
  files: { [PASSWORD_FILE]: clickhouse.password },
});

/** Client of the pipeline's commands on this machine. */
export const pipelineClient = (clickhouse: ClickHouseConnection, kafka: KafkaConnection): Client =>
  joinClients(kafkaClient(kafka), {
    environment: {
      CLICKHOUSE_URL: clickhouse.hostUrl,
      CLICKHOUSE_PASSWORD: clickhouse.password,
      // In an external ClickHouse, `topics` creates the named collection of Kafka.
      KAFKA_DATABASE_BOOTSTRAP_SERVERS: kafka.bootstrap,
      ...accountVariables(clickhouse),
    },
    ready: clickhouse.ready,
  });

const accountVariables = ({ user, ingest }: ClickHouseConnection): Record<string, string> => ({
  CLICKHOUSE_USER: user,
  ...(ingest === "service" ? { DDL_TIER: "service" } : {}),
});
