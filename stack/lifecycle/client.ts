import { join } from "node:path";
import { ROOT } from "../../components/shared/state.ts";
import { CALL_VARIABLE, callOnStack } from "../../contract/command-call.ts";
import { LIVE_LOAD_SECONDS } from "../../contract/schedule.ts";
import { execute } from "../../terminal/process.ts";
import { requireServiceOf } from "../require-service.ts";
import { localConfig } from "./local-config.ts";
import { readClient } from "./outputs.ts";

/** Returns the variables of commands on the stack. */
export async function clientEnvironment(stack: string): Promise<Record<string, string>> {
  const { mode, airflow } = localConfig(stack);
  return {
    ...(await readClient(stack)),
    GENERATOR_INSTANCE: stack,
    [CALL_VARIABLE]: callOnStack(stack),
    ...(mode === "live" && airflow ? { LOAD_EVERY_SECONDS: String(LIVE_LOAD_SECONDS) } : {}),
  };
}

/** Runs a command of the pipeline. @throws UserError if the stack lacks the service of the command */
export async function runOnStack(stack: string, args: readonly string[]): Promise<number> {
  requireServiceOf(stack, localConfig(stack), args[0] ?? "");
  const program = [join(ROOT, "cli/main.ts"), ...args];
  const env = { ...process.env, ...(await clientEnvironment(stack)) };
  return (await execute(process.execPath, program, { env, output: "show" })).code;
}
