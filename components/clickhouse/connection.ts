import type * as pulumi from "@pulumi/pulumi";
import { type KafkaConnection, outsideClient } from "../kafka/connection.ts";
import { type Client, joinClients } from "../shared/commands.ts";
import { type InsideClient, type Ready, SECRET_FILES } from "../shared/service.ts";

export interface Account {
  readonly user: string;
  readonly password: pulumi.Output<string>;
}

/** What the administrator's clients need. */
export interface ClickHouseConnection extends Account {
  /** Address of the HTTP interface for containers. */
  readonly inside: string;
  /** Address of the HTTP interface for this machine. */
  readonly outside: string;
  /** What stores the topics. */
  readonly ingest: "kafka-engine" | "service";
  /** What has to be ready before a client connects. */
  readonly ready: readonly Ready[];
}

const PASSWORD_FILE = `${SECRET_FILES}/clickhouse-password`;

/** Client in a container. */
export const insideClickHouse = (clickhouse: ClickHouseConnection): InsideClient => ({
  environment: {
    CLICKHOUSE_URL: clickhouse.inside,
    CLICKHOUSE_PASSWORD_FILE: PASSWORD_FILE,
    ...common(clickhouse),
  },
  files: { [PASSWORD_FILE]: clickhouse.password },
});

/** Client of the pipeline's commands on this machine. */
export const pipelineClient = (clickhouse: ClickHouseConnection, kafka: KafkaConnection): Client =>
  joinClients(outsideClient(kafka), {
    environment: {
      CLICKHOUSE_URL: clickhouse.outside,
      CLICKHOUSE_PASSWORD: clickhouse.password,
      // In an external ClickHouse, `topics` creates the named collection of Kafka.
      KAFKA_DATABASE_BOOTSTRAP_SERVERS: kafka.inside,
      ...common(clickhouse),
    },
    ready: clickhouse.ready,
  });

const common = ({ user, ingest }: ClickHouseConnection): Record<string, string> => ({
  CLICKHOUSE_USER: user,
  ...(ingest === "service" ? { DDL_TIER: "service" } : {}),
});
