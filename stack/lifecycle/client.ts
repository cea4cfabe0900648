import { join } from "node:path";
import type { StackConfig } from "../../components/config.ts";
import { stackNames } from "../../components/shared/names.ts";
import { ROOT } from "../../components/shared/state.ts";
import { CALL_VARIABLE, callOnStack } from "../../contract/command-call.ts";
import { LIVE_LOAD_SECONDS } from "../../contract/schedule.ts";
import { execute } from "../../terminal/process.ts";
import { requireServiceOf } from "../require-service.ts";
import { localConfig } from "./local-config.ts";
import { readClient } from "./outputs.ts";

/** Runs a command of the pipeline. @throws UserError if the stack lacks the service of the command */
export async function runOnStack(stack: string, args: readonly string[]): Promise<number> {
  const config = await localConfig(stack);
  requireServiceOf(stack, config, args[0] ?? "");
  const program = [join(ROOT, "cli/main.ts"), ...args];
  const env = { ...process.env, ...(await readClient(stack)), ...variablesOf(stack, config) };
  return (await execute(process.execPath, program, { env, output: "show" })).code;
}

/** Returns what a command must know of its stack beside the addresses. */
export const variablesOf = (
  stack: string,
  { mode, airflow }: StackConfig,
): Record<string, string> => ({
  GENERATOR_INSTANCE: stackNames(stack).stack,
  [CALL_VARIABLE]: callOnStack(stack),
  ...(mode === "live" && airflow ? { LOAD_EVERY_SECONDS: String(LIVE_LOAD_SECONDS) } : {}),
});
