import { quote } from "../../terminal/shell.ts";
import { init } from "./init.ts";
import { isRecorded, pulumiEnvironment, selectStack } from "./workspace.ts";

/** Returns commands that set the variables; selects the stack, and creates a missing one. */
export async function shellExports(name: string): Promise<string> {
  if (!(await isRecorded(name))) await init(name);
  await selectStack(name);
  return Object.entries(await pulumiEnvironment(name))
    .map(([variable, value]) => `export ${variable}=${quote(value)}`)
    .join("\n");
}
