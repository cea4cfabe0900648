import { join } from "node:path";
import { z } from "zod";
import { stackNames } from "../../components/shared/names.ts";
import { stateFolder } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";
import { writePrivate } from "../../contract/files.ts";
import { nearest } from "../../generator/suggestion.ts";
import { askPulumi, showPulumi } from "./pulumi.ts";
import {
  CREATE_COMMAND,
  keepStackFile,
  saltLine,
  shownFile,
  stackText,
  withoutSalt,
} from "./stack-file.ts";

/** A stack with the settings that Pulumi reads. */
export interface Stack {
  readonly name: string;
  readonly env: { readonly PULUMI_OPTION_CONFIG_FILE: string };
}

/** @param config text to use instead of the stack's file @throws UserError for a bad name */
export async function openStack(name: string, config = stackText(name)): Promise<Stack> {
  stackNames(name, CREATE_COMMAND);
  // Pulumi writes a salt, which its state has, too, into the file that it reads.
  const copy = join(stateFolder(), shownFile(name));
  writePrivate(copy, config);
  const stack = { name, env: { PULUMI_OPTION_CONFIG_FILE: copy } };
  if (await hasWrongSalt(stack, config)) writePrivate(copy, withoutSalt(config));
  return stack;
}

/** Asks Pulumi about a stack. @throws UserError with Pulumi's error */
export const askStack = ({ name, env }: Stack, ...args: readonly string[]): Promise<string> =>
  askPulumi([...args, "--stack", name], env);

/** Runs an operation without Pulumi's question and without the outputs, which `make urls` prints. @throws UserError with the failure */
export const changeStack = (
  { name, env }: Stack,
  args: readonly string[],
  failure: { readonly message: string; readonly hint: string },
): Promise<void> => showPulumi([...args, ...AT_ONCE, "--stack", name], env, failure);

const AT_ONCE = ["--yes", "--skip-preview", "--suppress-outputs"];

/**
 * True for a salt of another passphrase than the state's. Plain `pulumi` with a wrong passphrase
 * writes one, before it fails, into a file without secrets.
 */
export async function hasWrongSalt(stack: Stack, text: string): Promise<boolean> {
  if (!saltLine(text) || /\bsecure:/.test(text)) return false;
  const salt = (await exportState(stack)).secrets_providers?.state?.salt;
  return salt !== undefined && !text.includes(salt);
}

/** Creates a stack, and keeps its file and the selection. @throws UserError like openStack */
export async function createStack(name: string): Promise<void> {
  stackNames(name, CREATE_COMMAND);
  // Pulumi writes a salt into the stack's file.
  const restore = keepStackFile(name);
  await askPulumi(["stack", "init", name, "--no-select"]).finally(restore);
}

export const selectStack = (name: string): Promise<string> => askPulumi(["stack", "select", name]);

/** Removes a stack without resources, and keeps its file, and the selection of another stack. */
export async function removeStack(name: string): Promise<void> {
  const selected = selectedOf(await recordedStacks());
  await askPulumi(["stack", "rm", "--yes", "--preserve-config", "--stack", name]);
  // Pulumi forgets the selection, whichever stack it removes.
  if (selected !== undefined && selected !== name) await selectStack(selected);
}

export interface RecordedResource {
  readonly urn: string;
  readonly type?: string;
  readonly id?: string;
  readonly protect?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** What Pulumi exports of a stack; empty lists may be absent. */
interface State {
  readonly resources?: readonly RecordedResource[] | null;
  readonly pending_operations?: readonly unknown[] | null;
  readonly secrets_providers?: { readonly state?: { readonly salt?: string } };
}

/** Reads a stack's state with encrypted secrets, so without the passphrase. */
export const exportState = async (stack: Stack): Promise<State> =>
  JSON.parse(await askStack(stack, "stack", "export")).deployment ?? {};

const summaries = z.array(z.looseObject({ name: z.string(), current: z.boolean() }));
type Summaries = z.infer<typeof summaries>;

/** Lists the stacks by the names that Pulumi prints, with an organisation unless it is the default. */
const recordedStacks = async (): Promise<Summaries> =>
  summaries.parse(JSON.parse(await askPulumi(["stack", "ls", "--json"])));

export const isRecorded = async (name: string): Promise<boolean> =>
  (await recordedStacks()).some((stack) => stack.name === name);

const selectedOf = (stacks: Summaries): string | undefined =>
  stacks.find(({ current }) => current)?.name;

const meantOf = (stacks: Summaries): string => selectedOf(stacks) ?? "dev";

/** Returns the named stack, or that of a named configuration, or the selected one, or `dev`. */
export async function resolveStackName(stack?: string, config?: string): Promise<string> {
  const named = stack || (config?.endsWith(".yaml") ? undefined : config);
  return named || meantOf(await recordedStacks());
}

/** Returns the stack to delete. @throws UserError if none is named and there are several */
export async function stackToDelete(stack?: string): Promise<string> {
  if (stack) return stack;
  const stacks = await recordedStacks();
  const meant = meantOf(stacks);
  const names = stacks.map(({ name }) => name);
  if (names.every((name) => name === meant)) return meant;
  throw new UserError(
    `The stack to delete must be named: ${names.join(", ")}`,
    "run make clean STACK=<name>",
  );
}

export async function requireStack(stack: string): Promise<void> {
  const names = (await recordedStacks()).map(({ name }) => name);
  if (names.includes(stack)) return;
  throw new UserError(
    `There is no stack ${stack}; ${names.length === 1 ? "the only one is" : "there are"}: ${names.join(", ") || "none"}`,
    names.length === 0
      ? `make up STACK=${stack} creates it`
      : `use STACK=${nearest(stack, names)}; make up STACK=${stack} creates a new stack`,
  );
}
