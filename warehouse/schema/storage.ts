import type { SchemaObject } from "./snapshot.ts";

/** The default that every MergeTree table prints. */
const DEFAULT_SETTING = "index_granularity = 8192";

interface Engine {
  readonly engine: string;
  readonly engine_full: string;
}

type Storage = Pick<SchemaObject, "engineArguments" | "ttl" | "settings">;

/** Reads what a MergeTree table prints as its engine. */
export function storageOf({ engine, engine_full }: Engine): Storage {
  if (!engine.endsWith("MergeTree")) return { engineArguments: "", ttl: "", settings: [] };
  const [definition = "", settings = ""] = engine_full.split(" SETTINGS ");
  return {
    engineArguments: argumentsOf(definition),
    ttl: definition.split(" TTL ")[1] ?? "",
    settings: settings
      .split(", ")
      .filter((setting) => setting !== "" && setting !== DEFAULT_SETTING),
  };
}

/** Returns the engine's arguments without the path and the name of a replica. */
function argumentsOf(definition: string): string {
  const [engine = ""] = definition.split(/ (?:PARTITION BY|PRIMARY KEY|ORDER BY|SAMPLE BY|TTL) /);
  const [, list = ""] = /\((.*)\)$/.exec(engine) ?? [];
  return isReplicated(engine) ? list.replace(/^'[^']*', '[^']*'(?:, )?/, "") : list;
}

const isReplicated = (engine: string): boolean => /^(Replicated|Shared)/.test(engine);
