import { existsSync, readFileSync } from "node:fs";
import { vi } from "vitest";
import { parse } from "yaml";
import { fileOf } from "./own-root.ts";

interface PreviewOptions {
  readonly onEvent: (event: object) => void;
}

/** A Pulumi stack that does nothing and records the requests. */
export function fakeStack(name: string) {
  const deployment: { resources: object[]; pending_operations: object[] } = {
    resources: [],
    pending_operations: [],
  };
  const done: string[] = [];
  const does = (operation: string) => vi.fn(async () => void done.push(operation));
  return {
    name,
    done,
    deployment,
    up: does("up"),
    refresh: does("refresh"),
    preview: vi.fn(async (_: PreviewOptions) => ({ stdout: "" })),
    destroy: does("destroy"),
    cancel: does("cancel"),
  };
}

/** Replaces what reads this stack, with `runPulumi` for `pulumi config --json`. */
export function fakeReading(stack: () => ReturnType<typeof fakeStack>) {
  let text = "";
  return {
    openStack: async (name: string, given?: string) => {
      text = given ?? (existsSync(fileOf(name)) ? readFileSync(fileOf(name), "utf8") : "");
      return stack();
    },
    runPulumi: async () => listingOf(text),
    exportState: async () => stack().deployment,
  };
}

/** Returns what `pulumi config --json` prints for a stack's file. */
function listingOf(text: string): string {
  const { config } = (parse(text) ?? {}) as { config?: Record<string, unknown> };
  const entries = Object.entries(config ?? {}).map(([key, value]) => {
    const json = JSON.stringify(value);
    if (json.includes('"secure"')) return [key, { secret: true }];
    return [key, { value: typeof value === "string" ? value : json, secret: false }];
  });
  return JSON.stringify(Object.fromEntries(entries));
}
