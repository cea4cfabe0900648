import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../contract/errors.ts";
import { type Preview, previewFrom } from "../preview.ts";
import { configure, type Settings } from "./init.ts";
import { reportLeftovers } from "./recover.ts";
import { runOperation } from "./run.ts";
import { restoringConfig } from "./stack-file.ts";
import { openStack } from "./workspace.ts";

/** What `up` would do; changes nothing but the settings that are given, and these only if it is allowed. */
export const previewWith = (name: string, settings: Settings): Promise<Preview> =>
  restoringConfig(name, async () => {
    const stack = await configure(name, settings, openStack);
    await reportLeftovers(stack);
    return previewOf(stack);
  });

/** @throws UserError with the program's own message where it refuses its configuration */
export async function previewOf(stack: Stack): Promise<Preview> {
  const events: EngineEvent[] = [];
  try {
    await runOperation(stack, ({ signal }) =>
      stack.preview({ signal, onEvent: (event) => events.push(event) }),
    );
  } catch (error) {
    if (error instanceof UserError) throw error;
    const messages = events.flatMap(({ diagnosticEvent: event }) =>
      event?.severity === "error" ? [event.message.replace(COLOURS, "").trim()] : [],
    );
    throw new UserError(
      messages.length > 0 ? messages.join("\n") : String(error),
      `correct it, then make preview STACK=${stack.name}`,
    );
  }
  return previewFrom({ steps: events.flatMap(stepOf) });
}

// Pulumi marks colours as <{%…%}>.
const COLOURS = /<\{%[^%]*%\}>/g;

/** Unchanged resources as well: what is published and allotted is a sum over all. */
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
