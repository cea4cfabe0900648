import { type BrokerEndpoint, brokerClientEnvironment } from "../broker/endpoint.ts";
import { type DatabaseEndpoint, insideDatabaseEnvironment } from "../database/endpoint.ts";
import type { Placement } from "../shared/placement.ts";
import { SECRETS } from "../shared/secret-files.ts";
import type { StatsdExporterPlan } from "../statsd-exporter/spec.ts";
import { airflowSettings, statsdSettings } from "./airflow-settings.ts";
import { schedulerLogs } from "./config.ts";

/** Services that the tasks and metrics of the scheduler use. */
export interface SchedulerDependencies {
  readonly broker: { readonly endpoint: BrokerEndpoint };
  readonly database: { readonly endpoint: DatabaseEndpoint };
  readonly generator: { readonly insideUrl: string } | null;
  readonly statsdExporter: Pick<StatsdExporterPlan, "statsd"> | null;
}

const secretFrom = (file: string): string => `cat ${SECRETS}/${file}`;

/** Returns Airflow's settings and the environment of its tasks. */
export function schedulerEnvironment(
  at: Placement,
  dependencies: SchedulerDependencies,
  url: string,
): Record<string, string> {
  return {
    ...airflowSettings,
    AIRFLOW__CORE__DAGS_FOLDER: "/opt/event-pipeline/airflow/dags",
    AIRFLOW__CORE__FERNET_KEY_CMD: secretFrom("fernet-key"),
    AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD: secretFrom("metadata-url"),
    AIRFLOW__LOGGING__BASE_LOG_FOLDER: schedulerLogs.path,
    AIRFLOW__WEBSERVER__BASE_URL: url,
    AIRFLOW__WEBSERVER__SECRET_KEY_CMD: secretFrom("web-key"),
    ...(dependencies.statsdExporter ? statsdSettings(dependencies.statsdExporter.statsd) : {}),
    ...taskEnvironment(at, dependencies),
  };
}

const taskEnvironment = (
  at: Placement,
  { broker, database, generator }: SchedulerDependencies,
): Record<string, string> => ({
  ...brokerClientEnvironment(broker.endpoint, "inside"),
  ...(broker.endpoint.security.sasl
    ? { KAFKA_SASL_PASSWORD_FILE: `${SECRETS}/kafka-sasl-password` }
    : {}),
  ...insideDatabaseEnvironment(database.endpoint),
  CLICKHOUSE_PASSWORD_FILE: `${SECRETS}/database-password`,
  ...(generator
    ? {
        GENERATOR_URL: generator.insideUrl,
        CONTROL_TOKEN_FILE: `${SECRETS}/control-token`,
      }
    : {}),
  GENERATOR_INSTANCE: at.names.stack,
});
