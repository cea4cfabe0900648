import { Airflow } from "./components/airflow/index.ts";
import { AlertLog } from "./components/alert-log/index.ts";
import { pipelineClient } from "./components/clickhouse/connection.ts";
import { clickhouseOf } from "./components/clickhouse/index.ts";
import { Schema } from "./components/clickhouse/schema.ts";
import { Generator } from "./components/generator/index.ts";
import { Grafana } from "./components/grafana/index.ts";
import { Ingest } from "./components/ingest/index.ts";
import { readInputs, withUserErrors } from "./components/inputs.ts";
import { kafkaOf } from "./components/kafka/index.ts";
import { Topics } from "./components/kafka/topics.ts";
import { KafkaExporter } from "./components/kafka-exporter/index.ts";
import { KafkaUi } from "./components/kafka-ui/index.ts";
import { Live } from "./components/live/index.ts";
import { Postgres } from "./components/postgres/index.ts";
import { Prometheus } from "./components/prometheus/index.ts";
import { joinClients } from "./components/shared/commands.ts";
import { Network } from "./components/shared/network.ts";
import { outputsOf } from "./components/shared/outputs.ts";
import { ownSecret } from "./components/shared/secrets.ts";
import { applyToWholeStack } from "./components/shared/whole-stack.ts";
import { StatsdExporter } from "./components/statsd-exporter/index.ts";
import { Superset } from "./components/superset/index.ts";

/** Declares the stack. Each part starts once the parts whose outputs it takes are ready. */
function deploy() {
  const { config, secrets, overrides } = readInputs();
  applyToWholeStack(config);
  const network = new Network("network", config.network);
  const adminPassword = ownSecret("admin-password", secrets.adminPassword);

  const kafka = kafkaOf("kafka", {
    ...{ network, password: secrets.kafkaPassword },
    ...config.kafka,
  });
  const clickhouse = clickhouseOf("clickhouse", {
    ...{ network, kafka: kafka.connection, password: secrets.clickhousePassword },
    ...{ biPassword: secrets.clickhouseBiPassword },
    ...{ monitorPassword: secrets.clickhouseMonitorPassword },
    ...config.clickhouse,
  });
  const topics = new Topics("topics", { kafka, clickhouse: clickhouse.connection });
  const schema = new Schema("schema", { kafka: topics.kafka, clickhouse });
  const events = { network, kafka: topics.kafka };
  const tables = { ...events, clickhouse: schema.clickhouse.connection };

  // Not after the schema, because messages wait in the topics.
  const generator =
    config.generator &&
    new Generator("generator", {
      ...{ ...events, overrides, controlToken: secrets.controlToken },
      ...config.generator,
    });
  const ingest = config.ingest && new Ingest("ingest", { ...tables, ...config.ingest });
  const kafkaUi = config.kafkaUi && new KafkaUi("kafka-ui", { ...events, ...config.kafkaUi });
  const kafkaExporter =
    config.kafkaExporter &&
    new KafkaExporter("kafka-exporter", { ...events, ...config.kafkaExporter });
  const statsdExporter =
    config.statsdExporter &&
    new StatsdExporter("statsd-exporter", { network, ...config.statsdExporter });

  const postgres =
    config.postgres &&
    new Postgres("postgres", { network, password: secrets.postgresPassword, ...config.postgres });
  const airflow =
    config.airflow &&
    postgres &&
    new Airflow("airflow", {
      ...{ network, adminPassword, postgres, webKey: secrets.airflowWebKey },
      databasePassword: secrets.airflowDatabasePassword,
      // Its tasks wait for topics and tables themselves.
      ...{ kafka: kafka.connection, clickhouse: clickhouse.connection },
      ...{ generator: generator?.inside, statsd: statsdExporter?.statsd },
      ...config.airflow,
    });
  const superset =
    config.superset &&
    postgres &&
    new Superset("superset", {
      ...{ network, adminPassword, postgres },
      databasePassword: secrets.supersetDatabasePassword,
      ...{ kafka: topics.kafka, clickhouse: schema.clickhouse, tablesDigest: schema.digest },
      ...config.superset,
    });
  const pipeline = pipelineClient(tables.clickhouse, tables.kafka);
  new Live("live", {
    mode: config.mode,
    isFed: config.generator?.enabled ?? false,
    client: joinClients(pipeline, generator?.client, airflow?.client),
    clickhouseId: clickhouse.serverId,
    metadataId: airflow && postgres?.serverId,
  });

  const scraped = [schema.clickhouse, generator, ingest, kafkaExporter, statsdExporter];
  const prometheus =
    config.prometheus &&
    new Prometheus("prometheus", {
      network,
      scrape: scraped.flatMap((service) => service?.scrape ?? []),
      ...config.prometheus,
    });
  const receiver = secrets.alertWebhook
    ? { url: secrets.alertWebhook, ready: [] }
    : config.alertLog && new AlertLog("alert-log", { network, ...config.alertLog }).receiver;
  const services = { kafka, clickhouse, generator, kafkaUi, airflow, superset, prometheus };
  const grafana =
    config.grafana &&
    prometheus &&
    receiver &&
    new Grafana("grafana", {
      ...{ network, adminPassword, prometheus, receiver },
      tools: Object.values(services).flatMap((service) => service?.page ?? []),
      ...config.grafana,
    });
  const own = { client: pipeline, secrets: { adminPassword } };
  return { ...outputsOf({ own, ...services, postgres, grafana }), overrides };
}

/** Outputs of the stack. `overrides` are variables that override the configuration in this run. */
export const { pages, client, secrets, overrides } = withUserErrors(deploy);
