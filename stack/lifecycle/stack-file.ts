import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isMap, parse, parseDocument } from "yaml";
import { z } from "zod";
import { type ConfigValue, structure } from "../../components/project-config.ts";
import { PROJECT } from "../../components/shared/names.ts";
import { ROOT } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";

export const CREATE_COMMAND = "make up STACK=dev";

/** Returns the name of Pulumi's file with the stack's settings, which `make` and `pulumi` share. */
export const shownFile = (stack: string): string => `Pulumi.${stack}.yaml`;

const stackFile = (stack: string): string => join(ROOT, shownFile(stack));

export const hasFile = (stack: string): boolean => existsSync(stackFile(stack));

/** Returns the text of the stack's file; a stack without a file has only defaults. */
export const stackText = (stack: string): string =>
  hasFile(stack) ? readFileSync(stackFile(stack), "utf8") : "";

export function writeStackFile(stack: string, text: string): void {
  if (text !== stackText(stack)) writeFileSync(stackFile(stack), text);
}

/** Returns a hint to change the stack's file. @param change such as `set KEY to VALUE` */
export const changeHint = (stack: string, change: string): string =>
  `${initFirst(stack)}${change} in ${shownFile(stack)}`;

export const settingHint = (stack: string, key: string, value: string): string =>
  `${changeHint(stack, `set ${key} to ${value}`)}, then run make up STACK=${stack}`;

/** Prefix of a hint that needs the stack's file, which `make` may not have written yet. */
const initFirst = (stack: string): string =>
  hasFile(stack) ? "" : `run make init STACK=${stack} with the same options, then `;

const settings = z.looseObject({ config: z.record(z.string(), z.unknown()).nullish() });

function readSettings(stack: string, text: string): Readonly<Record<string, unknown>> {
  const parsed = settings.safeParse(parse(text) ?? {});
  if (parsed.success) return parsed.data.config ?? {};
  throw new UserError(
    `${stackFile(stack)} is not a valid Pulumi configuration: ${parsed.error.issues[0]?.message}`,
    "put the settings under `config:`, as in Pulumi.dev.yaml",
  );
}

/** Reads the project's values; secrets stay encrypted. @param text to use instead of the file's */
export function projectValues(stack: string, text = stackText(stack)): Map<string, ConfigValue> {
  const prefix = `${PROJECT}:`;
  return new Map(
    Object.entries(readSettings(stack, text))
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
 * Returns the text of the stack's file with changed values. @param changes by path, e.g. `network.portOffset`
 * @param config file, or name of a configuration, that a stack without a file copies
 * @throws UserError if the stack already has another configuration
 */
export function configWith(
  stack: string,
  config: string | undefined,
  changes: readonly Change[],
): string {
  const text = config === undefined ? stackText(stack) : textFrom(stack, config);
  const values = readSettings(stack, text);
  if (changes.length === 0) return text;
  const document = parseDocument(text);
  if (!isMap(document.get("config"))) document.set("config", document.createNode({}));
  for (const [path, value] of changes) {
    const [top, key] = path.split(".");
    const name = `${PROJECT}:${top}`;
    if (key !== undefined && !isMap(document.getIn(["config", name]))) {
      const block = structure(textOf(values[name])) || {};
      document.setIn(["config", name], document.createNode(block));
    }
    document.setIn(["config", name, ...(key === undefined ? [] : [key])], value);
  }
  // Keeps long lines.
  return document.toString({ lineWidth: 0 });
}

function textFrom(stack: string, config: string): string {
  const source = sourceOf(config);
  if (!hasFile(stack)) return readFileSync(source, "utf8");
  if (config === stack || source === stackFile(stack)) return stackText(stack);
  throw new UserError(
    `The stack ${stack} already has the configuration ${shownFile(stack)}, so CONFIG=${config} would be ignored`,
    `omit CONFIG=; or use it for a new stack: run make up STACK=<name> CONFIG=${config}`,
  );
}

/** Returns the file of `CONFIG=`: a YAML file, an example, or the configuration of another stack. */
function sourceOf(config: string): string {
  const files = config.endsWith(".yaml")
    ? [resolve(ROOT, config)]
    : [join(ROOT, "config", `${config}.yaml`), stackFile(config)];
  const found = files.find((file) => existsSync(file));
  if (found) return found;
  throw new UserError(
    `There is no configuration ${files[0]}`,
    "run make up CONFIG=NAME (offline, long-lived or a YAML file)",
  );
}
