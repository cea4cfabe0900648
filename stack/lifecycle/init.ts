import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { StackConfig } from "../../components/config.ts";
import { validateSettings } from "./local-plan.ts";
import { setSetting } from "./setting.ts";
import { configWith, copyConfig } from "./stack-file.ts";
import { selectStack } from "./workspace.ts";

export interface Settings {
  /** Name of a configuration, or a file. */
  readonly config?: string | undefined;
  readonly offset?: number | undefined;
  readonly mode?: StackConfig["mode"] | undefined;
  readonly generatorEnabled?: boolean | undefined;
}

export async function init(name: string, settings: Settings = {}): Promise<Stack> {
  const stack = await createStack(name, settings);
  await writeSettings(stack, settings);
  return stack;
}

/** Selects or creates a stack. @throws UserError for a bad setting, before anything is written */
export async function createStack(name: string, settings: Settings): Promise<Stack> {
  const { config } = settings;
  validateSettings(name, configWith(name, config, valuesOf(settings)));
  if (config && config !== name && !copyConfig(name, config)) {
    console.error(
      `CONFIG=${config} is ignored: the stack ${name} already has Pulumi.${name}.yaml.`,
    );
  }
  return selectStack(name);
}

export async function writeSettings(stack: Stack, settings: Settings): Promise<void> {
  for (const [key, value] of valuesOf(settings)) await setSetting(stack, key, value);
}

export function valuesOf({ offset, mode, generatorEnabled }: Settings): [string, Value][] {
  const values = { "network.portOffset": offset, mode, "generator.enabled": generatorEnabled };
  return Object.entries(values).flatMap(([key, value]): [string, Value][] =>
    value === undefined ? [] : [[key, value]],
  );
}

type Value = string | number | boolean;
