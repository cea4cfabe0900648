import { join } from "node:path";
import { ROOT } from "../../components/shared/state.ts";
import { CALL_VARIABLE, callOnStack } from "../../contract/command-call.ts";
import { execute } from "../../terminal/process.ts";
import { NEEDS, requireService } from "../require-service.ts";
import { readClient } from "./outputs.ts";

/** Runs a command of the pipeline. @throws UserError if the stack lacks the service of the command */
export async function runOnStack(stack: string, args: readonly string[]): Promise<number> {
  const client = await readClient(stack);
  const needed = NEEDS[args[0] ?? ""];
  if (needed) requireService(stack, client, needed);
  const program = [join(ROOT, "cli/main.ts"), ...args];
  const env = { ...process.env, ...client, [CALL_VARIABLE]: callOnStack(stack) };
  return (await execute(process.execPath, program, { env, output: "show" })).code;
}
