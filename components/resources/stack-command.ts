import type { Broker } from "../broker/index.ts";
import type { Database } from "../database/index.ts";
import { commandEnvironment } from "../shared/endpoints.ts";
import type { PipelineCommand } from "./pipeline-command.ts";

/** Runs commands with the stack's broker and database, as this machine reaches them. */
export const stackCommand = (
  pipeline: readonly string[],
  timeoutSeconds: number,
  broker: Broker,
  database: Database,
): PipelineCommand => ({
  pipeline,
  timeoutSeconds,
  environment: commandEnvironment(broker.endpoint, database.endpoint),
  secretEnvironment: {
    CLICKHOUSE_PASSWORD: database.password,
    ...(broker.password ? { KAFKA_SASL_PASSWORD: broker.password } : {}),
  },
});
