import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** Where a checkout keeps what is its own and never committed: backend, secrets, choices. */
export const stateFolder = (): string => process.env.EVENT_PIPELINE_STATE ?? join(ROOT, ".state");

export const stackFolder = (stack: string): string => join(stateFolder(), "stacks", stack);
/** Names this checkout on everything it starts, so that no other one takes it for its own. */
export const ownerFile = (): string => join(stateFolder(), "owner");

/** Owner's mark; a stack run by plain `pulumi` without this folder has a common one. */
export const readOwner = (): string =>
  existsSync(ownerFile()) ? readFileSync(ownerFile(), "utf8") : "pulumi";

/** Whole or not at all, readable by this user alone. */
export function writePrivate(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, file);
}

/** Stacks this checkout has made. */
export function stackIds(): string[] {
  const folder = join(stateFolder(), "stacks");
  return existsSync(folder) ? readdirSync(folder) : [];
}
