import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve, sep } from "node:path";
import { LocalWorkspace, PulumiCommand, Stack } from "@pulumi/pulumi/automation/index.js";
import { z } from "zod";
import { stackNames } from "../../components/shared/names.ts";
import { ROOT, stackFolder, stateFolder } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";
import { writePrivate } from "../../contract/files.ts";
import { CREATE_COMMAND } from "../make-hints.ts";
import { withPulumiErrors } from "./pulumi-errors.ts";
import { pulumiProgram } from "./pulumi-program.ts";
import { refuseOtherConfig, refusePreviousLayout } from "./stack-file.ts";

const BIN = join(ROOT, "node_modules/.bin");

/** The user's backend and passphrase if set, else files in the state folder. */
export async function pulumiEnvironment(stack?: string): Promise<Record<string, string>> {
  const path = [BIN, dirname(await pulumiProgram()), process.env.PATH].join(delimiter);
  return {
    PATH: path,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...(hasBackend() ? {} : { PULUMI_BACKEND_URL: `file://${backendFolder()}` }),
    ...(stack === undefined || hasPassphrase()
      ? {}
      : { PULUMI_CONFIG_PASSPHRASE_FILE: passphraseFile(stack) }),
  };
}

const backendFolder = (): string => join(stateFolder(), "backend");

/** `make env` of another stack exports such files. */
function hasPassphrase(): boolean {
  const { PULUMI_CONFIG_PASSPHRASE: text, PULUMI_CONFIG_PASSPHRASE_FILE: file } = process.env;
  const isOwn = file && resolve(file).startsWith(resolve(stateFolder()) + sep);
  return text !== undefined || (file !== undefined && !isOwn);
}

const credentials = z.looseObject({ current: z.string().optional() });

function hasBackend(): boolean {
  const { PULUMI_BACKEND_URL, PULUMI_ACCESS_TOKEN, PULUMI_CREDENTIALS_PATH, PULUMI_HOME } =
    process.env;
  if (PULUMI_BACKEND_URL || PULUMI_ACCESS_TOKEN) return true;
  const home = PULUMI_CREDENTIALS_PATH ?? PULUMI_HOME ?? join(homedir(), ".pulumi");
  const file = join(home, "credentials.json");
  return (
    existsSync(file) && Boolean(credentials.parse(JSON.parse(readFileSync(file, "utf8"))).current)
  );
}

function passphraseFile(stack: string): string {
  const file = join(stackFolder(stack), "passphrase");
  if (!existsSync(file)) writePrivate(file, randomBytes(24).toString("base64url"));
  return file;
}

export async function openWorkspace(stack?: string): Promise<LocalWorkspace> {
  mkdirSync(backendFolder(), { recursive: true, mode: 0o700 });
  const root = dirname(dirname(await pulumiProgram()));
  return LocalWorkspace.create({
    workDir: ROOT,
    envVars: await pulumiEnvironment(stack),
    pulumiCommand: await PulumiCommand.get({ root }),
  });
}

/** Keeps the user's selection. @throws UserError for a bad name or a backend without answer */
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

function openWorkspaceOf(name: string): Promise<LocalWorkspace> {
  stackNames(name, CREATE_COMMAND);
  refusePreviousLayout(name);
  return openWorkspace(name);
}

/** Name without the organisation of Pulumi Cloud. */
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

/** The named, configured or selected one, or `dev`. @throws UserError if a file meets an old one */
export async function stackMeant(stack?: string, config?: string): Promise<string> {
  const named = stack || (config && !config.endsWith(".yaml") ? config : undefined);
  if (named) return named;
  const meant = selectedOf(await recordedStacks());
  if (config) refuseOtherConfig(meant, config);
  return meant;
}

const selectedOf = (stacks: readonly RecordedStack[]): string =>
  stacks.find(({ isSelected }) => isSelected)?.name ?? DEFAULT_STACK;

/** @throws UserError if none is named and there are several */
export async function stackToDelete(stack?: string): Promise<string> {
  if (stack) return stack;
  const stacks = await recordedStacks();
  const meant = selectedOf(stacks);
  const names = stacks.map(({ name }) => name);
  if (names.every((name) => name === meant)) return meant;
  throw new UserError(
    `The stack to delete must be named: ${names.join(", ")}`,
    "make clean STACK=<name>",
  );
}

export async function requireStack(stack: string): Promise<void> {
  const names = (await recordedStacks()).map(({ name }) => name);
  if (names.includes(stack)) return;
  throw new UserError(
    `There is no stack ${stack}; there are: ${names.join(", ") || "none"}`,
    `make up STACK=${stack}`,
  );
}
