import { z } from "zod";
import { UserError } from "../contract/errors.ts";
import { nearest } from "../generator/suggestion.ts";
import { SECRETS } from "./secrets.ts";
import { settingCommand } from "./shared/names.ts";

type Issue = z.core.$ZodIssue;

interface Keys {
  readonly schema: z.ZodType;
  /** Explains why a path is not a setting; undefined if it is unknown. */
  explain(path: string): string | undefined;
}

/** Returns the forms of a block: one object, or one for each mode. */
export function formsOf(schema: unknown): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(formsOf);
  if (schema instanceof z.ZodPipe) return formsOf(schema.out);
  return schema instanceof z.ZodPrefault ? formsOf(schema.unwrap()) : [];
}

/** Returns the keys that a block allows. @param path e.g. `["kafka", "security"]` */
function keysAt(schema: z.ZodType, path: readonly string[]): string[] {
  const forms = formsOf(schema);
  const [key, ...rest] = path;
  if (key === undefined) return [...new Set(forms.flatMap(({ shape }) => Object.keys(shape)))];
  return [...new Set(forms.flatMap(({ shape }) => (shape[key] ? keysAt(shape[key], rest) : [])))];
}

export function refuseConfig(
  raw: Readonly<Record<string, unknown>>,
  issues: readonly Issue[],
  keys: Keys,
): never {
  const lines = issues.flatMap((issue) => describe(raw, issue, keys));
  throw new UserError(
    `The stack's configuration is wrong:\n${lines.map((line) => `  ${line}`).join("\n")}`,
    `run ${settingCommand("<setting>", "<value>")}, or edit Pulumi.<stack>.yaml`,
  );
}

function describe(raw: unknown, issue: Issue, keys: Keys): string[] {
  const path = issue.path.map(String);
  const where = path.join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownKey(path, key, keys));
  }
  const value = valueAt(raw, path);
  if (value === undefined) return [`${where} is not set: ${issue.message}`];
  const isBlock = issue.code === "invalid_type" && issue.expected === "object";
  const message = isBlock ? "must be a block of settings" : issue.message;
  return [`${where}=${JSON.stringify(value)}: ${message}`];
}

function unknownKey(block: readonly string[], key: string, { schema, explain }: Keys): string {
  const where = [...block, key].join(".");
  const explained = explain(where);
  if (explained) return `${where}: ${explained}`;
  const allowed = keysAt(schema, block);
  const others = block.length === 0 ? [...allowed, ...Object.keys(SECRETS)] : allowed;
  return `${where}: unknown key; did you mean ${nearest(key, others)}? Allowed: ${others.join(", ")}`;
}

const valueAt = (raw: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? (value as Record<string, unknown>)[key]
        : undefined,
    raw,
  );
