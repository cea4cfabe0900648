import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { LocalWorkspace, PulumiCommand, Stack } from "@pulumi/pulumi/automation/index.js";
import { stackNames } from "../../components/shared/names.ts";
import { ROOT, stateFolder } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";
import { writePrivate } from "../../contract/files.ts";
import { nearest } from "../../generator/suggestion.ts";
import { execute } from "../../terminal/process.ts";
import { pulumiRefusal, withPulumiErrors } from "./pulumi-errors.ts";
import { pulumiProgram } from "./pulumi-program.ts";
import { CREATE_COMMAND, shownFile, stackText } from "./stack-file.ts";

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
  return Stack.select(name, workspace);
}

/** Creates a stack and selects it. @throws UserError like openStack */
export async function createStack(name: string): Promise<void> {
  stackNames(name, CREATE_COMMAND);
  const workspace = await openWorkspace();
  await withPulumiErrors(() => workspace.createStack(name));
}

/** Removes a stack without resources, and keeps its file. */
export async function removeStack(name: string): Promise<void> {
  const workspace = await openWorkspace();
  await withPulumiErrors(() => workspace.removeStack(name, { preserveConfig: true }));
}

/** Lets Pulumi delete the stack's protected resources. */
export const unprotect = (stack: Stack): Promise<string> =>
  runPulumi(stack, ["state", "unprotect", "--all", "--yes"]);

/** Runs a command that the Automation API lacks. @returns its output @throws UserError with Pulumi's */
async function runPulumi({ name, workspace }: Stack, args: readonly string[]): Promise<string> {
  const env = { ...process.env, ...workspace.envVars };
  const options = ["--stack", name, "--non-interactive"];
  const outcome = await execute(await pulumiProgram(), [...args, ...options], {
    env,
    output: "capture",
  });
  if (outcome.code === 0) return outcome.stdout;
  throw pulumiRefusal(outcome.stderr);
}

interface RecordedStack {
  readonly name: string;
  readonly isSelected: boolean;
}

/** True before the first stack; then no command needs Pulumi, which may have to be downloaded. */
const hasNoBackend = (): boolean => !process.env.PULUMI_BACKEND_URL && !existsSync(backendFolder());

async function recordedStacks(): Promise<RecordedStack[]> {
  if (hasNoBackend()) return [];
  const workspace = await openWorkspace();
  const stacks = await withPulumiErrors(() => workspace.listStacks());
  return stacks.map(({ name, current }) => ({
    // Without the organisation of Pulumi Cloud.
    name: name.split("/").at(-1) ?? name,
    isSelected: current,
  }));
}

export const isRecorded = async (name: string): Promise<boolean> =>
  (await recordedStacks()).some((stack) => stack.name === name);

const meantOf = (stacks: readonly RecordedStack[]): string =>
  stacks.find(({ isSelected }) => isSelected)?.name ?? "dev";

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
    `There is no stack ${stack}; there are: ${names.join(", ") || "none"}`,
    names.length === 0
      ? `make up STACK=${stack} creates it`
      : `use STACK=${nearest(stack, names)}; make up STACK=${stack} creates a new stack`,
  );
}
