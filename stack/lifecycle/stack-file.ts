import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { type ConfigValue, structure } from "../../components/project-config.ts";
import { PROJECT } from "../../components/shared/names.ts";
import { quote } from "../../components/shared/shell.ts";
import { ROOT } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";

export const stackFile = (stack: string): string => join(ROOT, `Pulumi.${stack}.yaml`);

const settings = z.looseObject({ config: z.record(z.string(), z.unknown()).nullish() });
type Settings = z.infer<typeof settings>;

function readSettings(file: string, text = readFileSync(file, "utf8")): Settings {
  const parsed = settings.safeParse(parse(text) ?? {});
  if (parsed.success) return parsed.data;
  throw new UserError(
    `${file} is not a valid Pulumi configuration: ${parsed.error.issues[0]?.message}`,
    "put the settings under `config:`, as in Pulumi.dev.yaml",
  );
}

/** Reads the project's values; secrets stay encrypted. @param text to use instead of the file's */
export function projectValues(stack: string, text?: string): Map<string, ConfigValue> {
  const file = stackFile(stack);
  const { config } = text !== undefined || existsSync(file) ? readSettings(file, text) : {};
  const prefix = `${PROJECT}:`;
  return new Map(
    Object.entries(config ?? {})
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [
        key.slice(prefix.length),
        isEncrypted(value)
          ? { text: null, isEncrypted: true }
          : { text: textOf(value), isEncrypted: false },
      ]),
  );
}

const isStructure = (value: unknown): value is object =>
  typeof value === "object" && value !== null;

const textOf = (value: unknown): string =>
  isStructure(value) ? JSON.stringify(value) : String(value ?? "");

const isEncrypted = (value: unknown): boolean =>
  isStructure(value) && ("secure" in value || Object.values(value).some(isEncrypted));

/** Copies a configuration, unless the stack has one. @param config file, or name as in `make up` */
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
      `There is no configuration ${source}`,
      "run make up CONFIG=NAME (dev, offline or a YAML file)",
    );
  }
  // The salt and encrypted values of that file belong to another passphrase.
  const { encryptionsalt: _, secretsprovider: _provider, ...rest } = readSettings(source);
  return rest;
}

/** Returns the stack's file with changed values. @param values by path, e.g. `network.portOffset` */
export function configWith(
  stack: string,
  config: string | undefined,
  values: readonly (readonly [path: string, value: unknown])[],
): string {
  const file = stackFile(stack);
  const settings = existsSync(file) ? readSettings(file) : config ? copyOf(config) : {};
  const blocks: Record<string, unknown> = { ...settings.config };
  for (const [path, value] of values) {
    const [top, key] = path.split(".");
    const name = `${PROJECT}:${top}`;
    const block = structure(textOf(blocks[name])) || {};
    blocks[name] = key ? { ...(block as object), [key]: value } : value;
  }
  return stringify({ ...settings, config: blocks });
}

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

/** Checks a given configuration. @throws UserError if the stack already has another configuration */
export function refuseOtherConfig(stack: string, config: string): void {
  const file = stackFile(stack);
  if (!existsSync(file) || resolve(ROOT, config) === file) return;
  throw new UserError(
    `The stack ${stack} already has the configuration ${file}, so ${config} would be ignored`,
    `use it for a new stack: run make up STACK=<name> CONFIG=${config}`,
  );
}

/** Checks the passphrase. @throws UserError if the state folder lacks the one of the stack's file */
export function refuseLostPassphrase(stack: string, passphrase: string): void {
  const file = stackFile(stack);
  if (!existsSync(file) || !readSettings(file).encryptionsalt) return;
  const encrypted = [...projectValues(stack)].filter(([, { isEncrypted }]) => isEncrypted);
  const start =
    encrypted.length === 0
      ? `run sed -i.bak '/^encryptionsalt:/d' ${quote(file)}`
      : `remove encryptionsalt and ${encrypted.map(([key]) => key).join(", ")} from ${file}`;
  throw new UserError(
    `The passphrase of ${file} is neither in ${passphrase} nor in PULUMI_CONFIG_PASSPHRASE`,
    `restore it; or, if it is lost, ${start}, then retry`,
  );
}
