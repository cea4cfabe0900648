import type { StackConfig } from "../../components/config.ts";
import { validateSettings } from "./local-config.ts";
import { type Change, configWith, shownFile, writeStackFile } from "./stack-file.ts";
import { createStack, isRecorded } from "./workspace.ts";

export interface Settings {
  /** Name of a configuration, or a file, that a new stack copies. */
  readonly config?: string | undefined;
  readonly offset?: number | undefined;
  readonly mode?: StackConfig["mode"] | undefined;
  readonly generatorEnabled?: boolean | undefined;
}

/** Creates a stack with a file to edit, or writes settings of an existing one. */
export async function init(name: string, settings: Settings = {}): Promise<void> {
  const text = validConfig(name, settings);
  if (!(await isRecorded(name))) await create(name);
  writeStackFile(name, text || "config:\n");
}

/** Returns the text of the stack's file with the settings. @throws UserError for a bad setting */
export function validConfig(name: string, settings: Settings): string {
  const text = configWith(name, settings.config, changesOf(settings));
  validateSettings(name, text);
  return text;
}

/** Creates a stack and selects it; the caller writes its file, into which Pulumi has written a salt. */
export async function create(name: string): Promise<void> {
  await createStack(name);
  console.error(
    `Created the stack ${name} with the configuration ${shownFile(name)}. Commands without STACK= now work on it.`,
  );
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
