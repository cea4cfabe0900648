import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** Where a checkout keeps what is never committed: its file backend and passphrases. */
export const stateFolder = (): string => process.env.EVENT_PIPELINE_STATE ?? join(ROOT, ".state");

export const stackFolder = (stack: string): string => join(stateFolder(), "stacks", stack);

/** Whole or not at all, readable by this user alone. */
export function writePrivate(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, file);
}
