import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { LocalWorkspace, PulumiCommand, Stack } from "@pulumi/pulumi/automation/index.js";
import { z } from "zod";
import { UserError } from "../../../contract/errors.ts";
import { stackNames } from "../names.ts";
import { ROOT, stackFolder, stateFolder, writePrivate } from "../state.ts";
import { pulumiProgram } from "./pulumi-program.ts";
import { refusePreviousLayout } from "./stack-file.ts";

const BIN = join(ROOT, "node_modules/.bin");

/**
 * Settings of Pulumi, for a stack if one is named: the user's own backend and passphrase, where there are any; else
 * files in the state folder.
 */
export async function pulumiEnvironment(stack?: string): Promise<Record<string, string>> {
  const path = [BIN, dirname(await pulumiProgram()), process.env.PATH].join(delimiter);
  return {
    // Node of the version the project pins, and Pulumi with what it calls beside it.
    PATH: path,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...(hasBackend() ? {} : { PULUMI_BACKEND_URL: `file://${backendFolder()}` }),
    ...(stack === undefined || hasPassphrase()
      ? {}
      : { PULUMI_CONFIG_PASSPHRASE_FILE: passphraseFile(stack) }),
  };
}

const backendFolder = (): string => join(stateFolder(), "backend");

const hasPassphrase = (): boolean =>
  process.env.PULUMI_CONFIG_PASSPHRASE !== undefined ||
  process.env.PULUMI_CONFIG_PASSPHRASE_FILE !== undefined;

/** Of `pulumi login`; the rest of the file is Pulumi's. */
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

/** Generated once for each stack: Pulumi encrypts the stack's secrets with it. */
function passphraseFile(stack: string): string {
  const file = join(stackFolder(stack), "passphrase");
  if (!existsSync(file)) writePrivate(file, randomBytes(24).toString("base64url"));
  return file;
}

/** The project's own folder, as plain `pulumi` takes it. */
export async function openWorkspace(stack?: string): Promise<LocalWorkspace> {
  mkdirSync(backendFolder(), { recursive: true, mode: 0o700 });
  const root = dirname(dirname(await pulumiProgram()));
  return LocalWorkspace.create({
    workDir: ROOT,
    envVars: await pulumiEnvironment(stack),
    pulumiCommand: await PulumiCommand.get({ root }),
  });
}

/**
 * Opens a stack, creates it where the backend has none of this name, and selects it: later commands
 * without a name take the selected one, and so does plain `pulumi`.
 * @throws UserError for a bad name, or a stack of an earlier version
 */
export async function openStack(name: string): Promise<Stack> {
  stackNames(name);
  refusePreviousLayout(name);
  return Stack.createOrSelect(name, await openWorkspace(name));
}

interface RecordedStack {
  readonly name: string;
  readonly isSelected: boolean;
}

export async function recordedStacks(): Promise<RecordedStack[]> {
  const stacks = await (await openWorkspace()).listStacks();
  // Pulumi's service puts the organisation before the name.
  return stacks.map(({ name, current }) => ({
    name: name.split("/").at(-1) ?? name,
    isSelected: current,
  }));
}

const DEFAULT_STACK = "dev";

/** The stack that is meant: the one named, or of the configuration named, or selected, or `dev`. */
export async function stackMeant(stack?: string, config?: string): Promise<string> {
  const named = stack || (config && !config.endsWith(".yaml") ? config : undefined);
  if (named) return named;
  return (await recordedStacks()).find(({ isSelected }) => isSelected)?.name ?? DEFAULT_STACK;
}

/** @throws UserError for a stack that does not exist */
export async function requireStack(stack: string): Promise<void> {
  const names = (await recordedStacks()).map(({ name }) => name);
  if (names.includes(stack)) return;
  throw new UserError(
    `There is no stack ${stack}; there are: ${names.join(", ") || "none"}.`,
    `make up STACK=${stack} first`,
  );
}
