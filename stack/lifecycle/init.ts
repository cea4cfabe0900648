import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { StackConfig } from "../../components/config.ts";
import { validateSettings } from "./local-config.ts";
import {
  type Change,
  changedSource,
  configWith,
  hasFile,
  shownFile,
  writeStackFile,
} from "./stack-file.ts";
import { createStack, isRecorded, openStack, selectedStack, selectStack } from "./workspace.ts";

export interface Settings {
  /** Name of a configuration, or a file. */
  readonly config?: string | undefined;
  readonly offset?: number | undefined;
  readonly mode?: StackConfig["mode"] | undefined;
  readonly generatorEnabled?: boolean | undefined;
}

/** Creates a stack, or writes settings of an existing one. Keeps the selection of another stack. */
export async function init(name: string, settings: Settings = {}): Promise<void> {
  const text = validConfig(name, settings);
  if (await isRecorded(name)) writeStackFile(name, text);
  else await create(name, text);
  const selected = (await selectedStack()) ?? name;
  if (selected === name) await selectStack(name);
  else {
    console.error(
      `Commands without STACK= still work on ${selected}. make env STACK=${name} selects ${name}.`,
    );
  }
}

/** Returns the text of the stack's file with the settings. @throws UserError for a bad setting */
export function validConfig(name: string, settings: Settings): string {
  const { config } = settings;
  const text = configWith(name, config, changesOf(settings));
  validateSettings(name, text);
  if (config && config !== name && hasFile(name)) {
    console.error(`CONFIG=${config} is ignored: the stack ${name} already has ${shownFile(name)}.`);
  }
  const warning = changedSource(name);
  if (warning) console.error(warning);
  return text;
}

/** Creates a stack and its file, and selects nothing. */
export async function create(name: string, config: string): Promise<Stack> {
  writeStackFile(name, await createStack(name, config));
  console.error(`Created the stack ${name} with the configuration ${shownFile(name)}.`);
  return openStack(name);
}

/** Returns the settings to write. A given mode also decides whether the generator publishes. */
function changesOf({
  offset,
  mode,
  generatorEnabled = mode && mode === "live",
}: Settings): Change[] {
  const values = { "network.portOffset": offset, mode, "generator.enabled": generatorEnabled };
  return Object.entries(values).flatMap(([key, value]): Change[] =>
    value === undefined ? [] : [[key, value]],
  );
}
