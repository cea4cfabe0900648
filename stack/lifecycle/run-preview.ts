import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import type { Overrides } from "../../components/generator/overrides.ts";
import { UserError } from "../../contract/errors.ts";
import { type Settings, validConfig } from "./init.ts";
import { refuseForeign, reportLeftovers } from "./recover.ts";
import { runOperation } from "./run.ts";
import { createStack, isRecorded, openStack, removeStack } from "./workspace.ts";

/** Previews `up` with these settings. */
export async function previewWith(name: string, settings: Settings): Promise<string> {
  const config = validConfig(name, settings);
  if (!(await isRecorded(name))) return previewOfNew(name, config);
  const stack = await openStack(name);
  await reportLeftovers(stack);
  return previewOf(stack, config);
}

/** Creates a temporary stack, because Pulumi previews only existing stacks. */
async function previewOfNew(name: string, config: string): Promise<string> {
  await refuseForeign(name);
  const withSalt = await createStack(name, config);
  try {
    return await previewOf(await openStack(name), withSalt);
  } finally {
    await removeStack(name);
  }
}

/**
 * Runs a preview and returns Pulumi's text. @param config text of the stack's file
 * @throws UserError with the program's message if it refuses its configuration
 */
export async function previewOf(stack: Stack, config: string): Promise<string> {
  const events: EngineEvent[] = [];
  const folder = mkdtempSync(join(tmpdir(), "event-pipeline-preview-"));
  const configFile = join(folder, `Pulumi.${stack.name}.yaml`);
  try {
    writeFileSync(configFile, config);
    const { stdout } = await runOperation(stack, ({ signal, color }) =>
      stack.preview({
        signal,
        color,
        diff: true,
        onEvent: (event) => events.push(event),
        configFile,
      }),
    );
    return stdout;
  } catch (error) {
    if (error instanceof UserError) throw error;
    const messages = events.flatMap(({ diagnosticEvent: event }) =>
      event?.severity === "error" ? [event.message.replace(COLOURS, "").trim()] : [],
    );
    throw new UserError(
      messages.length > 0 ? messages.join("\n") : String(error),
      `correct the configuration, then run make preview STACK=${stack.name}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Adds variables of the shell that override the configuration. */
export const renderPreview = (text: string, overrides: Overrides): string =>
  [
    text.trimEnd(),
    ...Object.entries(overrides).map(
      ([name, value]) => `Override: ${name}=${value} of the shell, for this run only`,
    ),
  ].join("\n");

// Pulumi marks colours as <{%…%}>.
const COLOURS = /<\{%[^%]*%\}>/g;
