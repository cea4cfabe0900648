import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { type Settings, validConfig } from "./init.ts";
import { refuseForeign } from "./recover.ts";
import { runOperation } from "./run.ts";
import { createStack, isRecorded, openStack, removeStack } from "./workspace.ts";

/** Previews `up` with these settings. */
export async function previewWith(name: string, settings: Settings): Promise<string> {
  const config = validConfig(name, settings);
  if (await isRecorded(name)) return previewOf(await openStack(name, config));
  await refuseForeign(name);
  // Pulumi previews only existing stacks.
  await createStack(name, { isSelected: false });
  try {
    return await previewOf(await openStack(name, config));
  } finally {
    await removeStack(name);
  }
}

/** Runs a preview and returns Pulumi's text. @throws UserError if the program refuses its configuration */
export async function previewOf(stack: Stack): Promise<string> {
  const failure = {
    message: "The preview failed",
    hint: `correct the configuration, then run make preview STACK=${stack.name}`,
  };
  const { stdout } = await runOperation(stack, failure, ({ signal, color, onEvent }) =>
    stack.preview({ signal, color, onEvent, diff: true }),
  );
  return stdout;
}
