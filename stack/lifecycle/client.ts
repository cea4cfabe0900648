import { join } from "node:path";
import { planStack } from "../../components/services.ts";
import {
  biEnvironment,
  commandEnvironment,
  generatorEnvironment,
  monitoringEnvironment,
  schedulerEnvironment,
} from "../../components/shared/endpoints.ts";
import { ROOT } from "../../components/shared/state.ts";
import { LIVE_LOAD_SECONDS } from "../../contract/schedule.ts";
import { execute } from "../../terminal/process.ts";
import { localContext } from "./local-plan.ts";
import { readSecrets } from "./outputs.ts";

export async function clientEnvironment(stack: string): Promise<Record<string, string>> {
  const context = localContext(stack);
  const secrets = await readSecrets(stack);
  const { broker, database, generator, scheduler, bi, monitoring } = planStack(context);
  const { metrics, dashboards } = monitoring;
  const { databasePassword = "", brokerPassword, controlToken = "" } = secrets;
  return {
    ...commandEnvironment(broker.endpoint, database.endpoint),
    CLICKHOUSE_PASSWORD: databasePassword,
    ...(generator ? { ...generatorEnvironment(generator.url), CONTROL_TOKEN: controlToken } : {}),
    GENERATOR_INSTANCE: stack,
    ...(context.config.mode === "live"
      ? { ALLOW_PENDING_SECONDS: String(2 * LIVE_LOAD_SECONDS) }
      : {}),
    ...(scheduler
      ? {
          ...schedulerEnvironment(scheduler.url),
          AIRFLOW_PASSWORD: secrets.adminPassword ?? "",
        }
      : {}),
    ...(metrics
      ? monitoringEnvironment({
          metricsUrl: metrics.url,
          metricsContainer: metrics.service.container.name,
          dashboardsUrl: dashboards?.url ?? null,
        })
      : {}),
    ...(bi
      ? {
          ...biEnvironment(bi),
          SUPERSET_PASSWORD: secrets.adminPassword ?? "",
          BI_DATABASE_PASSWORD: secrets.biPassword ?? databasePassword,
        }
      : {}),
    ...(dashboards ? { GRAFANA_PASSWORD: secrets.adminPassword ?? "" } : {}),
    ...(brokerPassword ? { KAFKA_SASL_PASSWORD: brokerPassword } : {}),
  };
}

export async function useClientEnvironment(stack: string): Promise<void> {
  Object.assign(process.env, await clientEnvironment(stack));
}

export async function runPipeline(stack: string, args: readonly string[]): Promise<number> {
  const program = [join(ROOT, "cli/main.ts"), ...args];
  const env = { ...process.env, ...(await clientEnvironment(stack)) };
  return (await execute(process.execPath, program, { env, output: "show" })).code;
}
