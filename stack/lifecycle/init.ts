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

/** Opens and selects the stack, created if there is none, with these settings in its configuration. */
export async function init(name: string, settings: Settings = {}): Promise<Stack> {
  const { config } = settings;
  if (config && config !== name && !copyConfig(name, config)) {
    console.error(`The stack ${name} has a configuration of its own, Pulumi.${name}.yaml.`);
  }
  const stack = await selectStack(name);
  for (const [key, value] of valuesOf(settings)) await setSetting(stack, key, value);
  return stack;
}

/** The settings that are given, by their paths in the configuration. */
export function valuesOf({ offset, mode, generatorEnabled }: Settings): [string, Value][] {
  const values = { "network.portOffset": offset, mode, "generator.enabled": generatorEnabled };
  return Object.entries(values).flatMap(([key, value]): [string, Value][] =>
    value === undefined ? [] : [[key, value]],
  );
}

type Value = string | number | boolean;
