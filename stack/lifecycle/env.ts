import { quote } from "../../components/shared/shell.ts";
import { pulumiEnvironment, selectStack } from "./workspace.ts";

export async function shellExports(name: string): Promise<string> {
  await selectStack(name);
  return Object.entries(await pulumiEnvironment(name))
    .map(([variable, value]) => `export ${variable}=${quote(value)}`)
    .join("\n");
}
