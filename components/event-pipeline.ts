import * as pulumi from "@pulumi/pulumi";
import { Airflow } from "./airflow/index.ts";
import { alertReceiverOf } from "./alert-log/index.ts";
import { clickhouseOf } from "./clickhouse/index.ts";
import { Schema } from "./clickhouse/schema.ts";
import { Collector } from "./collector/index.ts";
import {
  isFed,
  isGenerated,
  publishedPorts,
  type StackConfig,
  type StackSettings,
} from "./config.ts";
import { parseStackConfig } from "./config-rules.ts";
import { encryptionKeys } from "./encryption-keys.ts";
import { Generator } from "./generator/index.ts";
import type { Overrides } from "./generator/overrides.ts";
import { Grafana } from "./grafana/index.ts";
import { Ingest } from "./ingest/index.ts";
import { kafkaOf } from "./kafka/index.ts";
import { Topics } from "./kafka/topics.ts";
import { KafkaExporter } from "./kafka-exporter/index.ts";
import { KafkaUi } from "./kafka-ui/index.ts";
import { Live } from "./live/index.ts";
import { Postgres } from "./postgres/index.ts";
import { Prometheus } from "./prometheus/index.ts";
import { isSecretName, type SecretName } from "./secrets.ts";
import { dockerEndpoint } from "./shared/engine.ts";
import { Network } from "./shared/network.ts";
import type { Page } from "./shared/page.ts";
import { withProgramErrors } from "./shared/program-error.ts";
import { refuseRemoteLoopback } from "./shared/reachability.ts";
import { ownSecret } from "./shared/secrets.ts";
import { volumeOf } from "./shared/service.ts";
import { Services } from "./shared/services.ts";
import { wholeStackOptions } from "./shared/whole-stack.ts";
import { StatsdExporter } from "./statsd-exporter/index.ts";
import { Superset } from "./superset/index.ts";

/** Settings of all services, each with a default; one that is off is false. */
export interface EventPipelineArgs extends StackSettings {
  /** Secrets; missing ones are generated. */
  readonly secrets?: Secrets;
  /** Variables that override the generator's settings for this run. Default: none. */
  readonly overrides?: Overrides;
}

type Secrets = Readonly<Partial<Record<SecretName, pulumi.Input<string>>>>;

/**
 * The whole pipeline; each part starts once the parts that it uses are ready. A Pulumi stack has one.
 * It inherits the caller's Docker provider, which must reach the engine of the `docker` command.
 */
export class EventPipeline extends pulumi.ComponentResource {
  /** Addresses for people. */
  readonly pages: readonly Page[];
  /** Variables of commands on this machine. */
  readonly client: pulumi.Output<Readonly<Record<string, string>>>;
  readonly secrets: pulumi.Output<Readonly<Record<string, string>>>;

  /** @param name of the containers, volumes and the network, after `event-pipeline-` */
  constructor(
    name: string,
    { secrets = {}, overrides = {}, ...settings }: EventPipelineArgs = {},
    opts?: pulumi.ComponentResourceOptions,
  ) {
    const args = withProgramErrors(() => deployable(settings, secrets));
    super("eventpipeline:index:EventPipeline", name, {}, wholeStackOptions(name, args, opts));
    const child = { parent: this };
    const services = new Services();
    const network = new Network("network", { ...args.network, stack: name }, child);
    const adminPassword = ownSecret("admin-password", secrets.adminPassword, this);
    const client = { environment: { GENERATOR_INSTANCE: network.names.stack }, ready: [] };
    // Data and keys stay when their service is switched off, so they are declared apart from it.
    const generatorData = volumeOf("generator", { name: "data" }, network, child);
    const collectorData = volumeOf("collector", { name: "data" }, network, child);
    const postgresData = volumeOf("postgres", { name: "data" }, network, child);
    const keys = encryptionKeys(args.keyGenerations, this);
    services.add({
      client,
      secrets: {
        adminPassword,
        airflowFernetKey: keys.airflow.current,
        supersetSecretKey: keys.superset.current,
      },
    });

    const kafka = services.add(
      kafkaOf("kafka", { network, password: secrets.kafkaPassword, ...args.kafka }, child),
    );
    const clickhouse = clickhouseOf(
      "clickhouse",
      {
        network,
        kafka: kafka.connection,
        password: secrets.clickhousePassword,
        biPassword: secrets.clickhouseBiPassword,
        monitorPassword: secrets.clickhouseMonitorPassword,
        ...args.clickhouse,
      },
      child,
    );
    const topics = new Topics("topics", { kafka, clickhouse: clickhouse.connection }, child);
    const schema = services.add(
      new Schema("schema", { kafka: topics.kafka, clickhouse, kept: args.clickhouse }, child),
    );

    const generator = services.add(
      args.generator &&
        new Generator(
          "generator",
          {
            network,
            data: generatorData,
            // Not the schema, because messages wait in the topics.
            kafka: topics.kafka,
            overrides,
            controlToken: secrets.controlToken,
            ...args.generator,
          },
          child,
        ),
    );
    services.add(
      args.collector &&
        new Collector(
          "collector",
          {
            network,
            data: collectorData,
            kafka: topics.kafka,
            clickhouse: schema.connection,
            ...args.collector,
          },
          child,
        ),
    );
    services.add(
      args.ingest &&
        new Ingest(
          "ingest",
          { network, kafka: topics.kafka, clickhouse: schema.connection, ...args.ingest },
          child,
        ),
    );
    services.add(
      args.kafkaUi &&
        new KafkaUi("kafka-ui", { network, kafka: topics.kafka, ...args.kafkaUi }, child),
    );
    services.add(
      args.kafkaExporter &&
        new KafkaExporter(
          "kafka-exporter",
          { network, kafka: topics.kafka, ...args.kafkaExporter },
          child,
        ),
    );
    const statsdExporter = services.add(
      args.statsdExporter &&
        new StatsdExporter("statsd-exporter", { network, ...args.statsdExporter }, child),
    );

    const postgres = services.add(
      args.postgres &&
        new Postgres(
          "postgres",
          { network, data: postgresData, password: secrets.postgresPassword, ...args.postgres },
          child,
        ),
    );
    const airflow = services.add(
      args.airflow &&
        postgres &&
        new Airflow(
          "airflow",
          {
            network,
            adminPassword,
            postgres,
            key: keys.airflow,
            databasePassword: secrets.airflowDatabasePassword,
            jwtSecret: secrets.airflowJwtSecret,
            tasks: [kafka.connection.use, clickhouse.connection.use, generator?.use],
            statsd: statsdExporter?.use,
            ...args.airflow,
          },
          child,
        ),
    );
    services.add(
      args.superset &&
        postgres &&
        new Superset(
          "superset",
          {
            network,
            adminPassword,
            postgres,
            key: keys.superset,
            databasePassword: secrets.supersetDatabasePassword,
            clickhouse: schema,
            ...args.superset,
          },
          child,
        ),
    );
    services.add(
      new Live(
        "live",
        {
          mode: args.mode,
          isGenerated: isGenerated(args),
          isFed: isFed(args),
          uses: [schema.client, generator?.client, airflow?.client],
          dataId: clickhouse.dataId,
          metadataId: airflow && postgres?.serverId,
        },
        child,
      ),
    );

    const prometheus = services.add(
      args.prometheus &&
        new Prometheus(
          "prometheus",
          { network, scrape: services.scrape, ...args.prometheus },
          child,
        ),
    );
    const receiver =
      args.alertLog &&
      alertReceiverOf(
        "alert-log",
        { network, webhook: secrets.alertWebhook, ...args.alertLog },
        child,
      );
    services.add(
      args.grafana &&
        prometheus &&
        receiver &&
        new Grafana(
          "grafana",
          {
            network,
            adminPassword,
            prometheus,
            receiver,
            tools: services.tools,
            ...args.grafana,
          },
          child,
        ),
    );

    ({ pages: this.pages, client: this.client, secrets: this.secrets } = services.outputs);
    this.registerOutputs(services.outputs);
  }
}

/** Validates the settings, and that this machine reaches the ports. @throws UserError */
function deployable(settings: StackSettings, secrets: Secrets): StackConfig {
  const names = Object.keys(secrets).filter(isSecretName);
  const config = parseStackConfig(settings, new Set(names));
  if (publishedPorts(config).length > 0) refuseRemoteLoopback(dockerEndpoint(), config.network);
  return config;
}
