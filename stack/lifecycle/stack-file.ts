import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isMap, parse, parseDocument } from "yaml";
import { z } from "zod";
import { type ConfigValue, structure } from "../../components/project-config.ts";
import { digestOf } from "../../components/shared/digest.ts";
import { PROJECT } from "../../components/shared/names.ts";
import { ROOT, stackFolder } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";
import { quote } from "../../terminal/shell.ts";

/** Configurations of the repository. `make` reads these files and never writes them. */
export const COMMITTED: readonly string[] = ["dev", "long-lived", "offline"];

const fileName = (stack: string): string => `Pulumi.${stack}.yaml`;
const inCheckout = (stack: string): string => join(ROOT, fileName(stack));

/** Returns the file that `make` writes: Pulumi's own, or a copy if that one is committed. */
export const stackFile = (stack: string): string =>
  COMMITTED.includes(stack) ? join(stackFolder(stack), fileName(stack)) : inCheckout(stack);

export const hasFile = (stack: string): boolean => existsSync(stackFile(stack));

/** Returns the file with the stack's settings: Pulumi's own until `make` has written a copy. */
export const currentFile = (stack: string): string =>
  hasFile(stack) ? stackFile(stack) : inCheckout(stack);

/** Returns the path of the stack's file for messages and for `CONFIG=`. */
export const shownFile = (stack: string): string => shown(stackFile(stack));

function shown(file: string): string {
  const path = relative(ROOT, file);
  return path.startsWith("..") ? file : path;
}

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
  const file = currentFile(stack);
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

export type Change = readonly [path: string, value: string | number | boolean];

/**
 * Returns the text of the stack's file with changed values; a new file is a copy of `config`, or of
 * the committed configuration of that name. @param changes by path, e.g. `network.portOffset`
 */
export function configWith(
  stack: string,
  config: string | undefined,
  changes: readonly Change[],
): string {
  const file = stackFile(stack);
  const text = hasFile(stack) ? readFileSync(file, "utf8") : copyFor(stack, config);
  const { config: values } = readSettings(file, text);
  if (changes.length === 0) return text;
  const document = parseDocument(text);
  if (!isMap(document.get("config"))) document.set("config", document.createNode({}));
  for (const [path, value] of changes) {
    const [top, key] = path.split(".");
    const name = `${PROJECT}:${top}`;
    if (key !== undefined && !isMap(document.getIn(["config", name]))) {
      const block = structure(textOf(values?.[name])) || {};
      document.setIn(["config", name], document.createNode(block));
    }
    document.setIn(["config", name, ...(key === undefined ? [] : [key])], value);
  }
  return document.toString(AS_WRITTEN);
}

/** Keeps long lines. */
const AS_WRITTEN = { lineWidth: 0 };

function copyFor(stack: string, config: string | undefined): string {
  const isOther = config !== undefined && config !== stack;
  const source = isOther ? sourceOf(config) : inCheckout(stack);
  if (!existsSync(source)) return `${MADE}; ${KEPT_WITHOUT}\n`;
  const text = readFileSync(source, "utf8");
  const own = text.replace(HEADER, "");
  return `${MADE} from ${shown(source)} ${digestOf(text)}; ${KEPT_WITHOUT}\n${isOther ? withoutEncryption(own) : own}`;
}

function sourceOf(config: string): string {
  const source = config.endsWith(".yaml") ? resolve(ROOT, config) : inCheckout(config);
  if (existsSync(source)) return source;
  throw new UserError(
    `There is no configuration ${source}`,
    "run make up CONFIG=NAME (dev, offline or a YAML file)",
  );
}

/** Removes the salt of another stack, which belongs to another passphrase. */
function withoutEncryption(text: string): string {
  const document = parseDocument(text);
  if (!isMap(document.contents)) return text;
  for (const key of ["encryptionsalt", "secretsprovider"]) document.delete(key);
  return document.toString(AS_WRITTEN);
}

const MADE = "# Created by make";
const KEPT_WITHOUT = "make clean removes this file, unless you remove this line.";
const HEADER = new RegExp(`^${MADE}.*\\n`);
const SOURCE = new RegExp(`^${MADE} from (.+) ([0-9a-f]+);`);

/** Returns the file that a text of `configWith` copies, or undefined. */
export const originOf = (text: string): string | undefined => SOURCE.exec(text)?.[1];

export function writeStackFile(stack: string, text: string): void {
  const file = stackFile(stack);
  if (hasFile(stack) && readFileSync(file, "utf8") === text) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text);
}

/** True if `make` has created the stack's file, and the user has not made it their own. */
export const isMadeFile = (stack: string): boolean =>
  hasFile(stack) && readFileSync(stackFile(stack), "utf8").startsWith(MADE);

export function removeMadeFile(stack: string): void {
  if (isMadeFile(stack)) rmSync(stackFile(stack));
}

/** Returns a warning if the configuration that `make` copied has changed, without an effect. */
export function changedSource(stack: string): string | undefined {
  if (!isMadeFile(stack)) return undefined;
  const [, source = "", digest] = SOURCE.exec(readFileSync(stackFile(stack), "utf8")) ?? [];
  const file = resolve(ROOT, source);
  if (!digest || !existsSync(file) || digestOf(readFileSync(file, "utf8")) === digest) {
    return undefined;
  }
  return `${source} has changed since the stack ${stack} copied it, and the stack uses its copy. hint: make the change in ${shownFile(stack)}, too`;
}

/** Checks a given configuration. @throws UserError if the stack already has another configuration */
export function refuseOtherConfig(stack: string, config: string): void {
  const file = stackFile(stack);
  if (!hasFile(stack) || [file, inCheckout(stack)].includes(resolve(ROOT, config))) return;
  throw new UserError(
    `The stack ${stack} already has the configuration ${file}, so ${config} would be ignored`,
    `use it for a new stack: run make up STACK=<name> CONFIG=${config}`,
  );
}

/** Checks the passphrase. @throws UserError if the state folder lacks the one of the stack's file */
export function refuseLostPassphrase(stack: string, passphrase: string): void {
  const file = currentFile(stack);
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
