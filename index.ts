import { Airflow } from "./components/airflow/index.ts";
import { alertReceiverOf } from "./components/alert-log/index.ts";
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
import { Network } from "./components/shared/network.ts";
import { ownSecret } from "./components/shared/secrets.ts";
import { Services } from "./components/shared/services.ts";
import { applyToWholeStack } from "./components/shared/whole-stack.ts";
import { StatsdExporter } from "./components/statsd-exporter/index.ts";
import { Superset } from "./components/superset/index.ts";

/** Declares the stack. Each part starts once the parts whose outputs it takes are ready. */
function deploy() {
  const { config, secrets, overrides } = readInputs();
  applyToWholeStack(config);
  const services = new Services();
  const network = new Network("network", config.network);
  const adminPassword = ownSecret("admin-password", secrets.adminPassword);
  services.add({ secrets: { adminPassword } });

  const kafka = services.add(
    kafkaOf("kafka", { network, password: secrets.kafkaPassword, ...config.kafka }),
  );
  const clickhouse = clickhouseOf("clickhouse", {
    network,
    kafka: kafka.connection,
    password: secrets.clickhousePassword,
    biPassword: secrets.clickhouseBiPassword,
    monitorPassword: secrets.clickhouseMonitorPassword,
    ...config.clickhouse,
  });
  const topics = new Topics("topics", { kafka, clickhouse: clickhouse.connection });
  const schema = services.add(new Schema("schema", { kafka: topics.kafka, clickhouse }));

  const generator = services.add(
    config.generator &&
      new Generator("generator", {
        network,
        // Not the schema, because messages wait in the topics.
        kafka: topics.kafka,
        overrides,
        controlToken: secrets.controlToken,
        ...config.generator,
      }),
  );
  services.add(
    config.ingest &&
      new Ingest("ingest", {
        network,
        kafka: topics.kafka,
        clickhouse: schema.connection,
        ...config.ingest,
      }),
  );
  services.add(
    config.kafkaUi && new KafkaUi("kafka-ui", { network, kafka: topics.kafka, ...config.kafkaUi }),
  );
  services.add(
    config.kafkaExporter &&
      new KafkaExporter("kafka-exporter", {
        network,
        kafka: topics.kafka,
        ...config.kafkaExporter,
      }),
  );
  const statsdExporter = services.add(
    config.statsdExporter &&
      new StatsdExporter("statsd-exporter", { network, ...config.statsdExporter }),
  );

  const postgres = services.add(
    config.postgres &&
      new Postgres("postgres", { network, password: secrets.postgresPassword, ...config.postgres }),
  );
  const airflow = services.add(
    config.airflow &&
      postgres &&
      new Airflow("airflow", {
        network,
        adminPassword,
        postgres,
        databasePassword: secrets.airflowDatabasePassword,
        webKey: secrets.airflowWebKey,
        tasks: [kafka.connection.use, clickhouse.connection.use, generator?.use],
        statsd: statsdExporter?.use,
        ...config.airflow,
      }),
  );
  services.add(
    config.superset &&
      postgres &&
      new Superset("superset", {
        network,
        adminPassword,
        postgres,
        databasePassword: secrets.supersetDatabasePassword,
        clickhouse: schema,
        ...config.superset,
      }),
  );
  new Live("live", {
    mode: config.mode,
    isFed: config.generator?.enabled ?? false,
    uses: [schema.client, generator?.client, airflow?.client],
    dataId: clickhouse.dataId,
    metadataId: airflow && postgres?.serverId,
  });

  const prometheus = services.add(
    config.prometheus &&
      new Prometheus("prometheus", { network, scrape: services.scrape, ...config.prometheus }),
  );
  const receiver =
    config.alertLog &&
    alertReceiverOf("alert-log", { network, webhook: secrets.alertWebhook, ...config.alertLog });
  services.add(
    config.grafana &&
      prometheus &&
      receiver &&
      new Grafana("grafana", {
        network,
        adminPassword,
        prometheus,
        receiver,
        tools: services.tools,
        ...config.grafana,
      }),
  );
  return { ...services.outputs, overrides };
}

/** Outputs of the stack. `overrides` are variables that override the configuration in this run. */
export const { pages, client, secrets, overrides } = withUserErrors(deploy);
