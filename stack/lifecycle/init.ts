import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { StackConfig } from "../../components/config.ts";
import { setSetting } from "./setting.ts";
import { copyConfig } from "./stack-file.ts";
import { selectStack } from "./workspace.ts";

export interface Settings {
  /** A name or a file. */
  readonly config?: string | undefined;
  readonly offset?: number | undefined;
  readonly mode?: StackConfig["mode"] | undefined;
  readonly generatorEnabled?: boolean | undefined;
}

export async function init(name: string, settings: Settings = {}): Promise<Stack> {
  const { config } = settings;
  if (config && config !== name && !copyConfig(name, config)) {
    console.error(
      `CONFIG=${config} is ignored: the stack ${name} already has Pulumi.${name}.yaml.`,
    );
  }
  const stack = await selectStack(name);
  for (const [key, value] of valuesOf(settings)) await setSetting(stack, key, value);
  return stack;
}

export function valuesOf({ offset, mode, generatorEnabled }: Settings): [string, Value][] {
  const values = { "network.portOffset": offset, mode, "generator.enabled": generatorEnabled };
  return Object.entries(values).flatMap(([key, value]): [string, Value][] =>
    value === undefined ? [] : [[key, value]],
  );
}

type Value = string | number | boolean;
