import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join, resolve, sep } from "node:path";
import { LocalWorkspace, PulumiCommand, Stack } from "@pulumi/pulumi/automation/index.js";
import { stackNames } from "../../components/shared/names.ts";
import { quote } from "../../components/shared/shell.ts";
import { ROOT, stackFolder, stateFolder } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";
import { writePrivate } from "../../contract/files.ts";
import { nearest } from "../../generator/suggestion.ts";
import { CREATE_COMMAND } from "../make-hints.ts";
import { configuredBackend, isOtherBackend, stateBackend, stateBackendFolder } from "./backend.ts";
import { withPulumiErrors } from "./pulumi-errors.ts";
import { pulumiProgram } from "./pulumi-program.ts";
import { refuseLostPassphrase, refuseOtherConfig } from "./stack-file.ts";

const BIN = join(ROOT, "node_modules/.bin");

/** Returns Pulumi's environment: the user's backend and passphrase, else files in the state folder. */
export async function pulumiEnvironment(stack?: string): Promise<Record<string, string>> {
  const path = [BIN, dirname(await pulumiProgram()), process.env.PATH].join(delimiter);
  return {
    PATH: path,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...(configuredBackend() ? {} : { PULUMI_BACKEND_URL: stateBackend() }),
    ...(stack === undefined || hasPassphrase()
      ? {}
      : { PULUMI_CONFIG_PASSPHRASE_FILE: passphraseFile(stack) }),
  };
}

/** True if the user has set a passphrase; files that `make env` of a stack exports do not count. */
function hasPassphrase(): boolean {
  const { PULUMI_CONFIG_PASSPHRASE: text, PULUMI_CONFIG_PASSPHRASE_FILE: file } = process.env;
  const isOwn = file && resolve(file).startsWith(resolve(stateFolder()) + sep);
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
): Promise<LocalWorkspace> {
  mkdirSync(stateBackendFolder(), { recursive: true, mode: 0o700 });
  const root = dirname(dirname(await pulumiProgram()));
  return LocalWorkspace.create({
    workDir: ROOT,
    envVars: { ...(await pulumiEnvironment(stack)), ...env },
    pulumiCommand: await PulumiCommand.get({ root }),
  });
}

/** Checks the backend. @throws UserError if the stack is in the state folder and another is current */
async function refuseOtherBackend(name: string): Promise<void> {
  const current = configuredBackend();
  if (!isOtherBackend(current)) return;
  const workspace = await openWorkspace(undefined, { PULUMI_BACKEND_URL: stateBackend() });
  const stacks = await withPulumiErrors(() => workspace.listStacks());
  if (!stacks.some((one) => shortName(one) === name && (one.resourceCount ?? 0) > 0)) return;
  throw new UserError(
    `The stack ${name} is in the backend ${stateBackend()}, and the current one is ${current}`,
    `run export PULUMI_BACKEND_URL=${quote(stateBackend())}, then retry`,
  );
}

/** Opens or creates a stack; keeps the user's selection. @throws UserError for a bad name or backend */
export async function openStack(name: string): Promise<Stack> {
  const workspace = await openWorkspaceOf(name);
  return withPulumiErrors(async () => {
    const stacks = await workspace.listStacks();
    if (stacks.some((stack) => shortName(stack) === name)) {
      // Stack.select is the API's only way to open a stack, and would change the user's selection.
      workspace.selectStack = async () => undefined;
      return Stack.select(name, workspace);
    }
    const stack = await Stack.create(name, workspace);
    const selected = stacks.find(({ current }) => current);
    if (selected) await workspace.selectStack(selected.name);
    return stack;
  });
}

/** Opens or creates a stack and selects it, also for plain `pulumi`. */
export async function selectStack(name: string): Promise<Stack> {
  const workspace = await openWorkspaceOf(name);
  return withPulumiErrors(() => Stack.createOrSelect(name, workspace));
}

async function openWorkspaceOf(name: string): Promise<LocalWorkspace> {
  stackNames(name, CREATE_COMMAND);
  await refuseOtherBackend(name);
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
  await refuseOtherBackend(stack);
  const names = (await recordedStacks()).map(({ name }) => name);
  if (names.includes(stack)) return;
  throw new UserError(
    `There is no stack ${stack}; there are: ${names.join(", ") || "none"}`,
    names.length === 0
      ? `make up STACK=${stack} creates it`
      : `use STACK=${nearest(stack, names)}; make up STACK=${stack} creates a new stack`,
  );
}
