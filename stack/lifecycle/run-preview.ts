import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../contract/errors.ts";
import { type Preview, previewFrom } from "../preview.ts";
import { type Settings, valuesOf } from "./init.ts";
import { reportLeftovers } from "./recover.ts";
import { runOperation } from "./run.ts";
import { configWith, restoringConfig } from "./stack-file.ts";
import { openStack, recordedStacks } from "./workspace.ts";

/** Previews `up` with these settings in a copy of the configuration. */
export async function previewWith(name: string, settings: Settings): Promise<Preview> {
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
export async function previewOf(stack: Stack, configFile?: string): Promise<Preview> {
  const events: EngineEvent[] = [];
  try {
    await runOperation(stack, ({ signal }) =>
      stack.preview({
        signal,
        onEvent: (event) => events.push(event),
        ...(configFile ? { configFile } : {}),
      }),
    );
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
  return previewFrom({ steps: events.flatMap(stepOf) });
}

// Pulumi marks colours as <{%…%}>.
const COLOURS = /<\{%[^%]*%\}>/g;

/** Parses all steps, because ports and memory are sums that include unchanged resources. */
const stepOf = ({ resourcePreEvent: event }: EngineEvent): object[] =>
  event
    ? [
        {
          op: event.metadata.op,
          urn: event.metadata.urn,
          oldState: event.metadata.old ?? undefined,
          newState: event.metadata.new ?? undefined,
          detailedDiff: event.metadata.detailedDiff,
        },
      ]
    : [];
