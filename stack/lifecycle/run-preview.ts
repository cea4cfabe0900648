import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import type { Overrides } from "../../components/generator/overrides.ts";
import { UserError } from "../../contract/errors.ts";
import { lostData } from "../data-loss-guard.ts";
import { type Preview, previewFrom } from "../preview.ts";
import { type Settings, valuesOf } from "./init.ts";
import { reportLeftovers } from "./recover.ts";
import { runOperation } from "./run.ts";
import { configWith, restoringConfig } from "./stack-file.ts";
import { openStack, recordedStacks } from "./workspace.ts";

export interface ShownPreview extends Preview {
  /** Pulumi's own text, with a difference of each property. */
  readonly text: string;
}

/** Previews `up` with these settings in a copy of the configuration. */
export async function previewWith(name: string, settings: Settings): Promise<ShownPreview> {
  const folder = mkdtempSync(join(tmpdir(), "event-pipeline-preview-"));
  const configFile = join(folder, `Pulumi.${name}.yaml`);
  try {
    writeFileSync(configFile, configWith(name, settings.config, valuesOf(settings)));
    return await onStack(name, async (stack) => {
      await reportLeftovers(stack);
      return previewOf(stack, configFile);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Creates a temporary stack, because Pulumi previews only existing stacks. */
async function onStack<T>(name: string, work: (stack: Stack) => Promise<T>): Promise<T> {
  const isRecorded = (await recordedStacks()).some((stack) => stack.name === name);
  if (isRecorded) return work(await openStack(name));
  return restoringConfig(name, async () => {
    const stack = await openStack(name);
    try {
      return await work(stack);
    } finally {
      await stack.workspace.removeStack(name, { preserveConfig: true });
    }
  });
}

/** Runs a preview. @throws UserError with the program's message if it refuses its configuration */
export async function previewOf(stack: Stack, configFile?: string): Promise<ShownPreview> {
  const events: EngineEvent[] = [];
  try {
    const { stdout } = await runOperation(stack, ({ signal, color }) =>
      stack.preview({
        signal,
        color,
        diff: true,
        onEvent: (event) => events.push(event),
        ...(configFile ? { configFile } : {}),
      }),
    );
    return { ...previewFrom({ steps: events.flatMap(stepOf) }), text: stdout };
  } catch (error) {
    if (error instanceof UserError) throw error;
    const messages = events.flatMap(({ diagnosticEvent: event }) =>
      event?.severity === "error" ? [event.message.replace(COLOURS, "").trim()] : [],
    );
    throw new UserError(
      messages.length > 0 ? messages.join("\n") : String(error),
      `correct the configuration, then run make preview STACK=${stack.name}`,
    );
  }
}

/** Adds what `up` refuses, and variables of the shell that override the configuration. */
export const renderPreview = (preview: ShownPreview, overrides: Overrides): string =>
  [
    preview.text.trimEnd(),
    ...lostData(preview).map((name) => `Data at risk: ${name} is deleted; make up refuses this`),
    ...Object.entries(overrides).map(
      ([name, value]) => `Override: ${name}=${value} of the shell, for this run only`,
    ),
  ].join("\n");

// Pulumi marks colours as <{%…%}>.
const COLOURS = /<\{%[^%]*%\}>/g;

const stepOf = ({ resourcePreEvent: event }: EngineEvent): object[] =>
  event
    ? [
        {
          op: event.metadata.op,
          urn: event.metadata.urn,
          oldState: event.metadata.old ?? undefined,
          newState: event.metadata.new ?? undefined,
        },
      ]
    : [];
