import { quote } from "../../components/shared/shell.ts";
import { pulumiEnvironment, selectStack } from "./workspace.ts";

/** Lines for a shell, after which plain `pulumi` works on the stack; selects it. */
export async function shellExports(name: string): Promise<string> {
  await selectStack(name);
  return Object.entries(await pulumiEnvironment(name))
    .map(([variable, value]) => `export ${variable}=${quote(value)}`)
    .join("\n");
}
