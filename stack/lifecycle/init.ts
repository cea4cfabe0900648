import type { StackConfig } from "../../components/config.ts";
import { parseStackConfig } from "../../components/config-rules.ts";
import { readProjectConfig } from "../../components/project-config.ts";
import { readValues } from "./local-config.ts";
import { type Change, changedText, initialText, shownFile, writeStackFile } from "./stack-file.ts";
import {
  createStack,
  isRecorded,
  openStack,
  removeStack,
  type Stack,
  selectStack,
} from "./workspace.ts";

export interface Settings {
  /** Name of a configuration, or a file, that a new stack copies. */
  readonly config?: string | undefined;
  readonly offset?: number | undefined;
  readonly mode?: StackConfig["mode"] | undefined;
  readonly generatorEnabled?: boolean | undefined;
}

/** Creates a stack with a file to edit, or writes settings of an existing one. */
export const init = (name: string, settings: Settings = {}): Promise<void> =>
  configure(name, settings, async (stack) => {
    parseStackConfig(readProjectConfig(await readValues(stack)).settings);
  });

/**
 * Writes settings into the stack's file, which a new stack gets with its creation.
 * @param check may refuse them @throws UserError for a refused setting; then nothing has changed
 */
export async function configure(
  name: string,
  settings: Settings,
  check: (stack: Stack) => Promise<void>,
): Promise<void> {
  const isNew = !(await isRecorded(name));
  // Pulumi reads settings only for a stack that exists.
  if (isNew) await createStack(name);
  try {
    const { stack, text } = await openWith(name, settings);
    await check(stack);
    writeStackFile(name, text || "config:\n");
  } catch (error) {
    if (isNew) await removeStack(name);
    throw error;
  }
  if (!isNew) return;
  await selectStack(name);
  console.error(
    `Created the stack ${name} with the configuration ${shownFile(name)}. Commands without STACK= now work on it.`,
  );
}

/** Opens a stack with settings that its file may not have. */
export async function openWith(name: string, settings: Settings) {
  const before = initialText(name, settings.config);
  const values = await readValues(await openStack(name, before));
  const text = changedText(before, values, changesOf(settings));
  return { stack: await openStack(name, text), text };
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
