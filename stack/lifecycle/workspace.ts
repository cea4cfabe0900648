import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  LocalWorkspace,
  PulumiCommand,
  Stack,
  type StackSummary,
} from "@pulumi/pulumi/automation/index.js";
import { stackNames } from "../../components/shared/names.ts";
import { ROOT, stateFolder } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";
import { writePrivate } from "../../contract/files.ts";
import { nearest } from "../../generator/suggestion.ts";
import { execute } from "../../terminal/process.ts";
import { pulumiRefusal, withPulumiErrors } from "./pulumi-errors.ts";
import { pulumiProgram } from "./pulumi-program.ts";
import {
  CREATE_COMMAND,
  keepStackFile,
  saltLine,
  shownFile,
  stackText,
  withoutSalt,
} from "./stack-file.ts";

const BIN = join(ROOT, "node_modules/.bin");

async function openWorkspace(env: Readonly<Record<string, string>> = {}): Promise<LocalWorkspace> {
  const folder = dirname(await pulumiProgram());
  return LocalWorkspace.create({
    workDir: ROOT,
    pulumiCommand: await PulumiCommand.get({ root: dirname(folder) }),
    envVars: {
      PATH: [BIN, folder, process.env.PATH].join(delimiter),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      ...backend(),
      ...passphrase(),
      ...env,
    },
  });
}

const backendFolder = (): string => join(stateFolder(), "backend");

/**
 * Returns no variable for the backend of Pulumi.yaml: for the same folder with another address
 * Pulumi would keep another selection.
 */
function backend(): Readonly<Record<string, string>> {
  const { PULUMI_BACKEND_URL: url, EVENT_PIPELINE_STATE: state } = process.env;
  const isElsewhere = !url && state;
  return isElsewhere
    ? { PULUMI_BACKEND_URL: `${pathToFileURL(backendFolder()).href}?create_dir=true` }
    : {};
}

/** Returns the variable of a generated passphrase, unless the user has one of their own. */
function passphrase(): Readonly<Record<string, string>> {
  const { PULUMI_CONFIG_PASSPHRASE: text, PULUMI_CONFIG_PASSPHRASE_FILE: given } = process.env;
  const file = join(stateFolder(), "passphrase");
  if (text !== undefined || (given && resolve(ROOT, given) !== file)) return {};
  if (!existsSync(file)) writePrivate(file, randomBytes(24).toString("base64url"));
  return { PULUMI_CONFIG_PASSPHRASE_FILE: file };
}

/**
 * Opens a stack; keeps the user's selection. @param config text to use instead of the stack's file
 * @throws UserError for a bad name
 */
export async function openStack(name: string, config = stackText(name)): Promise<Stack> {
  stackNames(name, CREATE_COMMAND);
  // Pulumi writes a salt, which its state has, too, into the file that it reads.
  const copy = join(stateFolder(), shownFile(name));
  writePrivate(copy, config);
  const workspace = await openWorkspace({ PULUMI_OPTION_CONFIG_FILE: copy });
  // Stack.select is the API's only way to open a stack, and would change the user's selection.
  workspace.selectStack = async () => undefined;
  const stack = await Stack.select(name, workspace);
  if (await hasWrongSalt(stack, config)) writePrivate(copy, withoutSalt(config));
  return stack;
}

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
  const workspace = await openWorkspace({ PULUMI_OPTION_NO_SELECT: "true" });
  // Pulumi writes a salt into the stack's file.
  const restore = keepStackFile(name);
  await withPulumiErrors(() => workspace.createStack(name)).finally(restore);
}

export async function selectStack(name: string): Promise<void> {
  const workspace = await openWorkspace();
  await withPulumiErrors(() => workspace.selectStack(name));
}

/** Removes a stack without resources, and keeps its file, and the selection of another stack. */
export async function removeStack(name: string): Promise<void> {
  const selected = selectedOf(await recordedStacks());
  const workspace = await openWorkspace();
  await withPulumiErrors(() => workspace.removeStack(name, { preserveConfig: true }));
  // Pulumi forgets the selection, whichever stack it removes.
  if (selected !== undefined && selected !== name) await selectStack(selected);
}

/** Lets Pulumi delete the stack's protected resources. */
export const unprotect = (stack: Stack): Promise<string> =>
  runPulumi(stack, ["state", "unprotect", "--all", "--yes"]);

/** Runs a command that the Automation API lacks. @returns its output @throws UserError with Pulumi's */
export async function runPulumi(
  { name, workspace }: Stack,
  args: readonly string[],
): Promise<string> {
  const env = { ...process.env, ...workspace.envVars };
  const options = ["--stack", name, "--non-interactive"];
  const outcome = await execute(await pulumiProgram(), [...args, ...options], {
    env,
    output: "capture",
  });
  if (outcome.code === 0) return outcome.stdout;
  throw pulumiRefusal(outcome.stderr);
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
  JSON.parse(await runPulumi(stack, ["stack", "export"])).deployment ?? {};

/** Lists the stacks by the names that Pulumi prints, with an organisation unless it is the default. */
async function recordedStacks(): Promise<StackSummary[]> {
  const workspace = await openWorkspace();
  return withPulumiErrors(() => workspace.listStacks());
}

export const isRecorded = async (name: string): Promise<boolean> =>
  (await recordedStacks()).some((stack) => stack.name === name);

const selectedOf = (stacks: readonly StackSummary[]): string | undefined =>
  stacks.find(({ current }) => current)?.name;

const meantOf = (stacks: readonly StackSummary[]): string => selectedOf(stacks) ?? "dev";

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
