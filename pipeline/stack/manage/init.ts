import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseStackConfig } from "../../../components/config.ts";
import { UserError } from "../../../contract/errors.ts";
import { stackNames } from "../names.ts";
import { ownerFile, ROOT, stackIds, writePrivate } from "../state.ts";
import {
  committedConfig,
  configBlocks,
  isChosen,
  readChoices,
  writeChoices,
  writeConfigFile,
} from "./choices.ts";
import {
  backendFolder,
  configFile,
  isRecorded,
  passphraseFile,
  projectFolder,
  pulumiText,
} from "./pulumi.ts";

/** Distance between the ports of two stacks on one machine. */
const OFFSET_STEP = 1000;

export interface InitOptions {
  /** Name of the committed configuration to start from, if not the stack's own. */
  readonly config?: string | undefined;
  /** Added to every published port, if not chosen by the stack's turn. */
  readonly offset?: number | undefined;
}

/**
 * Makes what a stack needs before its first start: local backend, passphrase, the stack itself. Safe to repeat: what is there stays.
 */
export async function init(stack: string, options: InitOptions = {}): Promise<void> {
  stackNames(stack);
  mkdirSync(backendFolder(), { recursive: true, mode: 0o700 });
  mkdirSync(projectFolder(stack), { recursive: true, mode: 0o700 });
  once(ownerFile(), () => randomBytes(8).toString("hex"));
  once(passphraseFile(stack), () => randomBytes(24).toString("base64url"));
  chooseConfig(stack, options);
  await initStack(stack);
  writeConfigFile(stack);
}

function once(file: string, content: () => string): void {
  if (!existsSync(file)) writePrivate(file, content());
}

/** A stack without a configuration of its own starts from `dev`, on ports beside the others'. */
function chooseConfig(stack: string, { config, offset }: InitOptions): void {
  const choices = readChoices(stack);
  const base = config ?? (existsSync(committedConfig(choices.base)) ? choices.base : "dev");
  const chosen = offset ?? choices.portOffset;
  writeChoices(stack, {
    ...choices,
    base,
    ...(chosen === undefined ? {} : { portOffset: chosen }),
  });
  if (chosen !== undefined) return;
  const free = freeOffset(stack);
  if (free !== portOffsetOf(stack)) writeChoices(stack, { ...choices, base, portOffset: free });
}

/** The configured offset, or the next one that no other stack of this checkout has. */
function freeOffset(stack: string): number {
  const others = stackIds().filter((name) => name !== stack);
  const taken = new Set(others.flatMap(offsetOfOther));
  let offset = portOffsetOf(stack);
  while (taken.has(offset)) offset += OFFSET_STEP;
  return offset;
}

/** None of a stack that was refused before its first start, or whose configuration has gone. */
function offsetOfOther(stack: string): number[] {
  if (!isChosen(stack) || !existsSync(committedConfig(readChoices(stack).base))) return [];
  try {
    return [portOffsetOf(stack)];
  } catch (error) {
    // What is wrong with another stack's configuration is said where that one is started.
    if (error instanceof UserError) return [];
    throw error;
  }
}

const portOffsetOf = (stack: string): number =>
  parseStackConfig(configBlocks(stack)).network.portOffset;

/** In a folder of its own: there, and not in a tracked file, Pulumi writes the salt. */
async function initStack(stack: string): Promise<void> {
  copyFileSync(join(ROOT, "Pulumi.yaml"), join(projectFolder(stack), "Pulumi.yaml"));
  const hasSalt =
    existsSync(configFile(stack)) && readFileSync(configFile(stack), "utf8").includes("salt");
  if (hasSalt && (await isRecorded(stack))) return;
  const folder = projectFolder(stack);
  await pulumiText(stack, "stack", "select", "--create", stack, "--cwd", folder);
}
