import { join } from "node:path";
import { commandEnvironment } from "../endpoints.ts";
import { planStack } from "../plan/stack.ts";
import { ROOT } from "../state.ts";
import { localContext } from "./plan.ts";
import { execute } from "./process.ts";

/** Environment in which the pipeline's commands find the running stack from this machine. */
function clientEnvironment(stack: string): Record<string, string> {
  const context = localContext(stack);
  const { broker, database, generator } = planStack(context);
  const { databasePassword = "", brokerPassword, controlToken = "" } = context.secrets;
  return {
    ...commandEnvironment(broker.endpoint, database.endpoint),
    CLICKHOUSE_PASSWORD: databasePassword,
    ...(generator ? { GENERATOR_URL: generator.url, CONTROL_TOKEN: controlToken } : {}),
    GENERATOR_STAND: stack,
    ...(brokerPassword ? { KAFKA_SASL_PASSWORD: brokerPassword } : {}),
  };
}

/** Runs one of the pipeline's commands on the running stack. */
export async function runPipeline(stack: string, args: readonly string[]): Promise<number> {
  const program = [join(ROOT, "pipeline/cli.ts"), ...args];
  const env = { ...process.env, ...clientEnvironment(stack) };
  return (await execute(process.execPath, program, { env, output: "show" })).code;
}
