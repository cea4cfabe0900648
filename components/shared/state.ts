import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** Folder of files that are never committed: file backend and passphrases. */
export const stateFolder = (): string => process.env.EVENT_PIPELINE_STATE ?? join(ROOT, ".state");

export const stackFolder = (stack: string): string => join(stateFolder(), "stacks", stack);
