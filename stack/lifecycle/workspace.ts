import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve, sep } from "node:path";
import { LocalWorkspace, PulumiCommand, Stack } from "@pulumi/pulumi/automation/index.js";
import { stringify } from "yaml";
import { PROJECT, stackNames } from "../../components/shared/names.ts";
import { ROOT, stackFolder, stateFolder } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";
import { writePrivate } from "../../contract/files.ts";
import { nearest } from "../../generator/suggestion.ts";
import { CREATE_COMMAND } from "../make-hints.ts";
import { withPulumiErrors } from "./pulumi-errors.ts";
import { pulumiProgram } from "./pulumi-program.ts";
import { currentFile, refuseLostPassphrase, refuseOtherConfig, stackFile } from "./stack-file.ts";

const BIN = join(ROOT, "node_modules/.bin");

/** Returns the user's backend, or the one of Pulumi.yaml, both with an absolute path. */
function backendUrl(): string {
  const { PULUMI_BACKEND_URL: own } = process.env;
  const [, path] = /^file:\/\/(?![/~])(.*)$/.exec(own ?? "") ?? [];
  if (path !== undefined) return `file://${resolve(ROOT, path)}`;
  return own || `file://${join(stateFolder(), "backend")}?create_dir=true`;
}

/** Returns Pulumi's environment: the user's backend and passphrase, else files in the state folder. */
export async function pulumiEnvironment(stack?: string): Promise<Record<string, string>> {
  const path = [BIN, dirname(await pulumiProgram()), process.env.PATH].join(delimiter);
  return {
    PATH: path,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_BACKEND_URL: backendUrl(),
    ...(stack === undefined ? {} : ofStack(stack)),
  };
}

const ofStack = (stack: string) => ({
  // The variable of the option --config-file.
  PULUMI_OPTION_CONFIG_FILE: currentFile(stack),
  ...(hasPassphrase() ? {} : { PULUMI_CONFIG_PASSPHRASE_FILE: passphraseFile(stack) }),
});

/** True if the user has set a passphrase; files that `make env` of a stack exports do not count. */
function hasPassphrase(): boolean {
  const { PULUMI_CONFIG_PASSPHRASE: text, PULUMI_CONFIG_PASSPHRASE_FILE: file } = process.env;
  const isOwn = file && resolve(ROOT, file).startsWith(stateFolder() + sep);
  return text !== undefined || (file !== undefined && !isOwn);
}

function passphraseFile(stack: string): string {
  const file = join(stackFolder(stack), "passphrase");
  if (existsSync(file)) return file;
  refuseLostPassphrase(stack, file);
  writePrivate(file, randomBytes(24).toString("base64url"));
  return file;
}

export async function openWorkspace(
  stack?: string,
  env: Readonly<Record<string, string>> = {},
  workDir = ROOT,
): Promise<LocalWorkspace> {
  const root = dirname(dirname(await pulumiProgram()));
  return LocalWorkspace.create({
    workDir,
    envVars: { ...(await pulumiEnvironment(stack)), ...env },
    pulumiCommand: await PulumiCommand.get({ root }),
  });
}

/** Opens a stack; keeps the user's selection. @throws UserError for a bad name */
export async function openStack(name: string): Promise<Stack> {
  const workspace = await openWorkspaceOf(name);
  // Stack.select is the API's only way to open a stack, and would change the user's selection.
  workspace.selectStack = async () => undefined;
  return Stack.select(name, workspace);
}

/**
 * Creates a stack without selecting it, in a temporary folder, because Pulumi would write the salt
 * into a committed file. @returns the configuration with the salt @throws UserError like openStack
 */
export async function createStack(name: string, config: string): Promise<string> {
  stackNames(name, CREATE_COMMAND);
  const workDir = mkdtempSync(join(tmpdir(), "event-pipeline-stack-"));
  const file = join(workDir, basename(stackFile(name)));
  try {
    writeFileSync(join(workDir, "Pulumi.yaml"), stringify({ name: PROJECT, runtime: "nodejs" }));
    writeFileSync(file, config);
    const env = { PULUMI_OPTION_NO_SELECT: "true", ...absolutePassphrase() };
    const workspace = await openWorkspace(name, env, workDir);
    await withPulumiErrors(() => workspace.createStack(name));
    return readFileSync(file, "utf8");
  } finally {
    rmSync(workDir, { recursive: true });
  }
}

function absolutePassphrase(): Readonly<Record<string, string>> {
  const { PULUMI_CONFIG_PASSPHRASE_FILE: file } = process.env;
  return file && hasPassphrase() ? { PULUMI_CONFIG_PASSPHRASE_FILE: resolve(ROOT, file) } : {};
}

/** Removes a stack without resources; keeps its file, and the selection of another stack. */
export async function removeStack(name: string): Promise<void> {
  const workspace = await openWorkspaceOf(name);
  const before = await selectedStack();
  await withPulumiErrors(async () => {
    await workspace.removeStack(name, { preserveConfig: true });
    // Pulumi forgets every selection.
    if (before && before !== name) await workspace.selectStack(before);
  });
}

/** Selects a stack, also for plain `pulumi`; says so if another one was selected. */
export async function selectStack(name: string): Promise<void> {
  const workspace = await openWorkspaceOf(name);
  const before = await selectedStack();
  if (before === name) return;
  await withPulumiErrors(() => workspace.selectStack(name));
  if (before) console.error(`Commands without STACK= now work on ${name}, not on ${before}.`);
}

async function openWorkspaceOf(name: string): Promise<LocalWorkspace> {
  stackNames(name, CREATE_COMMAND);
  return openWorkspace(name);
}

/** Returns the name without the organisation of Pulumi Cloud. */
const shortName = ({ name }: { readonly name: string }): string => name.split("/").at(-1) ?? name;

interface RecordedStack {
  readonly name: string;
  readonly isSelected: boolean;
}

export async function recordedStacks(): Promise<RecordedStack[]> {
  const workspace = await openWorkspace();
  const stacks = await withPulumiErrors(() => workspace.listStacks());
  return stacks.map((stack) => ({ name: shortName(stack), isSelected: stack.current }));
}

export const isRecorded = async (name: string): Promise<boolean> =>
  (await recordedStacks()).some((stack) => stack.name === name);

export const selectedStack = async (): Promise<string | undefined> =>
  (await recordedStacks()).find(({ isSelected }) => isSelected)?.name;

const DEFAULT_STACK = "dev";

/** Returns the named, configured or selected stack, or `dev`. @throws UserError for an ignored file */
export async function resolveStackName(stack?: string, config?: string): Promise<string> {
  const named = stack || (config && !config.endsWith(".yaml") ? config : undefined);
  if (named) return named;
  const meant = selectedOf(await recordedStacks());
  if (config) refuseOtherConfig(meant, config);
  return meant;
}

const selectedOf = (stacks: readonly RecordedStack[]): string =>
  stacks.find(({ isSelected }) => isSelected)?.name ?? DEFAULT_STACK;

/** Returns the stack to delete. @throws UserError if none is named and there are several */
export async function stackToDelete(stack?: string): Promise<string> {
  if (stack) return stack;
  const stacks = await recordedStacks();
  const meant = selectedOf(stacks);
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
