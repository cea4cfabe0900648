import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isMap, parseDocument } from "yaml";
import type { ConfigValue } from "../../components/project-config.ts";
import { PROJECT, stackNames } from "../../components/shared/names.ts";
import { ROOT } from "../../components/shared/state.ts";
import { UserError } from "../../contract/errors.ts";
import { parseJson } from "../../contract/json.ts";

export const CREATE_COMMAND = "make up STACK=dev";

/** Returns the name of Pulumi's file with the stack's settings, which `make` and `pulumi` share. */
export const shownFile = (stack: string): string => `Pulumi.${stackNames(stack).stack}.yaml`;

const stackFile = (stack: string): string => join(ROOT, shownFile(stack));

export const hasFile = (stack: string): boolean => existsSync(stackFile(stack));

/** Returns the text of the stack's file; a stack without a file has only defaults. */
export const stackText = (stack: string): string =>
  hasFile(stack) ? readFileSync(stackFile(stack), "utf8") : "";

export function writeStackFile(stack: string, text: string): void {
  if (text !== stackText(stack)) writeFileSync(stackFile(stack), text);
}

/** Returns a function that gives the stack's file the text that it has now. */
export function keepStackFile(stack: string): () => void {
  const text = hasFile(stack) ? stackText(stack) : undefined;
  return () => {
    if (text === undefined) rmSync(stackFile(stack), { force: true });
    else writeStackFile(stack, text);
  };
}

const SALT = /^encryptionsalt:.*\n?/m;

/** Returns the line with the salt of a passphrase, if a text has one. */
export const saltLine = (text: string): string | undefined => SALT.exec(text)?.[0].trim();

export const withoutSalt = (text: string): string => text.replace(SALT, "");

/** Returns a hint to change the stack's file. @param change such as `set KEY to VALUE` */
export const changeHint = (stack: string, change: string): string =>
  `${initFirst(stack)}${change} in ${shownFile(stack)}`;

export const settingHint = (stack: string, key: string, value: string): string =>
  `${changeHint(stack, `set ${key} to ${value}`)}, then run make up STACK=${stack}`;

/** Prefix of a hint that needs the stack's file, which `make` may not have written yet. */
const initFirst = (stack: string): string =>
  hasFile(stack) ? "" : `run make init STACK=${stack} with the same options, then `;

export type Change = readonly [path: string, value: string | number | boolean];

/**
 * Returns the text of the stack's file, or of the configuration that a stack without a file copies.
 * @param config name of a configuration, or a file @throws UserError if the stack already has another configuration
 */
export const initialText = (stack: string, config: string | undefined): string =>
  config === undefined ? stackText(stack) : textFrom(stack, config);

/**
 * Changes values of a text. @param changes by path, e.g. `network.portOffset`
 * @param values in force, because a block replaces the one of the project's file
 */
export function changedText(
  text: string,
  values: ReadonlyMap<string, ConfigValue>,
  changes: readonly Change[],
): string {
  if (changes.length === 0) return text;
  const document = parseDocument(text);
  if (!isMap(document.get("config"))) document.set("config", document.createNode({}));
  for (const [path, value] of changes) {
    const [top = "", key] = path.split(".");
    const name = `${PROJECT}:${top}`;
    if (key !== undefined && !isMap(document.getIn(["config", name]))) {
      const text = values.get(top)?.text ?? "";
      const block = parseJson(text, text) || {};
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
