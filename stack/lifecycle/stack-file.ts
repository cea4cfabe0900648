import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { PROJECT } from "../../components/shared/names.ts";
import { ROOT, stackFolder } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";

/** The stack's configuration: Pulumi's own file. */
export const stackFile = (stack: string): string => join(ROOT, `Pulumi.${stack}.yaml`);

const settings = z.looseObject({ config: z.record(z.string(), z.unknown()).nullish() });
type Settings = z.infer<typeof settings>;

function readSettings(file: string): Settings {
  const parsed = settings.safeParse(parse(readFileSync(file, "utf8")) ?? {});
  if (parsed.success) return parsed.data;
  throw new UserError(
    `${file} is not a configuration of Pulumi: ${parsed.error.issues[0]?.message}`,
    "write the settings below the key config:, like Pulumi.dev.yaml",
  );
}

/** Values by key, as the program gets them; encrypted ones are left out. */
export function configBlocks(stack: string): Record<string, unknown> {
  return Object.fromEntries(entriesOf(stack).filter(([, value]) => !isEncrypted(value)));
}

/** Keys whose values only Pulumi can read. */
export const encryptedKeys = (stack: string): string[] =>
  entriesOf(stack).flatMap(([key, value]) => (isEncrypted(value) ? [key] : []));

function entriesOf(stack: string): [string, unknown][] {
  const file = stackFile(stack);
  const { config } = existsSync(file) ? readSettings(file) : {};
  const prefix = `${PROJECT}:`;
  return Object.entries(config ?? {})
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, value]) => [key.slice(prefix.length), value]);
}

const isEncrypted = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "secure" in value;

/**
 * Gives a stack without a file of its own a copy of another configuration.
 * @param config a file, or the name of a `Pulumi.<name>.yaml`
 * @returns whether it was copied
 */
export function copyConfig(stack: string, config: string): boolean {
  const copy = copyOf(config);
  if (existsSync(stackFile(stack))) return false;
  writeFileSync(stackFile(stack), stringify(copy));
  return true;
}

function copyOf(config: string): Settings {
  const source = config.endsWith(".yaml") ? resolve(ROOT, config) : stackFile(config);
  if (!existsSync(source)) {
    throw new UserError(
      `There is no configuration ${source}.`,
      "make up CONFIG=dev, CONFIG=offline or CONFIG=a/file.yaml",
    );
  }
  // What is encrypted there belongs to another passphrase.
  const { encryptionsalt: _, secretsprovider: _provider, ...rest } = readSettings(source);
  return rest;
}

/**
 * Text of the configuration that a stack has, or would copy, with other values.
 * @param values by path, e.g. `network.portOffset`
 */
export function configWith(
  stack: string,
  config: string | undefined,
  values: readonly (readonly [path: string, value: unknown])[],
): string {
  const file = stackFile(stack);
  const settings = existsSync(file) ? readSettings(file) : config ? copyOf(config) : {};
  const blocks: Record<string, unknown> = { ...settings.config };
  for (const [path, value] of values) {
    const [block, key] = path.split(".");
    const name = `${PROJECT}:${block}`;
    blocks[name] = key ? { ...(blocks[name] as object | undefined), [key]: value } : value;
  }
  return stringify({ ...settings, config: blocks });
}

/** Puts the stack's configuration back as it was when the work ends. */
export async function restoringConfig<T>(stack: string, work: () => Promise<T>): Promise<T> {
  const file = stackFile(stack);
  const before = existsSync(file) ? readFileSync(file) : null;
  try {
    return await work();
  } finally {
    if (before) writeFileSync(file, before);
    else rmSync(file, { force: true });
  }
}

/** @throws UserError if the stack has a configuration already, and it is not this file */
export function refuseOtherConfig(stack: string, config: string): void {
  const file = stackFile(stack);
  if (!existsSync(file) || resolve(ROOT, config) === file) return;
  throw new UserError(
    `The stack ${stack} has a configuration already, ${file}: ${config} would not be used.`,
    `name a new stack for it: make up STACK=<name> CONFIG=${config}`,
  );
}

/** @throws UserError for a stack whose configuration an earlier version kept in the state folder */
export function refusePreviousLayout(stack: string): void {
  const folder = stackFolder(stack);
  if (!existsSync(join(folder, "choices.json"))) return;
  const previous = join(folder, "project", `Pulumi.${stack}.yaml`);
  throw new UserError(
    `The stack ${stack} is of an earlier version, which kept its configuration in ${previous}.`,
    `mv ${previous} ${stackFile(stack)}, rm ${join(folder, "choices.json")}, then the same command; the key event-pipeline:mode is live or bare`,
  );
}
