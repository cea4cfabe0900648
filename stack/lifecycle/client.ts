import { join } from "node:path";
import { clientsOf, planStack } from "../../components/services.ts";
import type { SecretValues } from "../../components/shared/secret-text.ts";
import type { ClientAccess } from "../../components/shared/spec.ts";
import { ROOT } from "../../components/shared/state.ts";
import { CALL_VARIABLE, callOnStack } from "../../contract/command-call.ts";
import { LIVE_LOAD_SECONDS } from "../../contract/schedule.ts";
import { execute } from "../../terminal/process.ts";
import { requireServicesOf } from "../require-service.ts";
import { localContext, localPlan } from "./local-plan.ts";
import { readSecrets } from "./outputs.ts";

async function clientEnvironment(stack: string): Promise<Record<string, string>> {
  const context = localContext(stack);
  const { mode, scheduler } = context.config;
  const secrets = await readSecrets(stack);
  const variables = clientsOf(planStack(context)).map((client) => variablesOf(client, secrets));
  return {
    ...Object.assign({}, ...variables),
    GENERATOR_INSTANCE: stack,
    [CALL_VARIABLE]: callOnStack(stack),
    ...(mode === "live" && scheduler.enabled
      ? { LOAD_EVERY_SECONDS: String(LIVE_LOAD_SECONDS) }
      : {}),
  };
}

const variablesOf = ({ environment, secrets }: ClientAccess, values: SecretValues) => ({
  ...environment,
  ...Object.fromEntries(
    Object.entries(secrets).map(([variable, name]) => [variable, values[name] ?? ""]),
  ),
});

export async function useClientEnvironment(stack: string): Promise<void> {
  Object.assign(process.env, await clientEnvironment(stack));
}

/** Returns a command's environment. @throws UserError if the stack lacks a service of the command */
export async function runPipeline(stack: string, args: readonly string[]): Promise<number> {
  requireServicesOf(stack, localPlan(stack), args[0] ?? "");
  const program = [join(ROOT, "cli/main.ts"), ...args];
  const env = { ...process.env, ...(await clientEnvironment(stack)) };
  return (await execute(process.execPath, program, { env, output: "show" })).code;
}
