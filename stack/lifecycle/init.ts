import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { StackConfig } from "../../components/config.ts";
import { setSetting } from "./setting.ts";
import { copyConfig } from "./stack-file.ts";
import { selectStack } from "./workspace.ts";

/** Settings that a command changes in the stack's configuration before it runs. */
export interface Settings {
  /** Configuration that a new stack copies: a name or a file. */
  readonly config?: string | undefined;
  readonly offset?: number | undefined;
  readonly mode?: StackConfig["mode"] | undefined;
  readonly generatorEnabled?: boolean | undefined;
}

/** Opens and selects the stack, created where there is none, with these settings in its configuration. */
export const init = (name: string, settings: Settings = {}): Promise<Stack> =>
  configure(name, settings, selectStack);

/** The same with another way to open it. */
export async function configure(
  name: string,
  settings: Settings,
  open: (name: string) => Promise<Stack>,
): Promise<Stack> {
  const { config, offset, mode, generatorEnabled } = settings;
  if (config && config !== name && !copyConfig(name, config)) {
    console.error(`The stack ${name} has a configuration of its own, Pulumi.${name}.yaml.`);
  }
  const stack = await open(name);
  const values = { "network.portOffset": offset, mode, "generator.enabled": generatorEnabled };
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) await setSetting(stack, key, value);
  }
  return stack;
}
