import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

export const stateFolder = (): string => process.env.EVENT_PIPELINE_STATE ?? join(ROOT, ".state");

export const stackFolder = (stack: string): string => join(stateFolder(), "stacks", stack);
