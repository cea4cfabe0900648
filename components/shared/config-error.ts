import type { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { nearest } from "../../generator/suggestion.ts";
import { settingCommand } from "./names.ts";

type Issue = z.core.$ZodIssue;
/** Keys by path of the block: `""` for the top, `generator.settings` for a nested block. */
export type KnownKeys = Readonly<Record<string, readonly string[]>>;

export interface Keys {
  readonly known: KnownKeys;
  /** Explains why a path is not a setting; undefined if it is unknown. */
  explain(path: string): string | undefined;
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
    return issue.keys.map((key) => unknownKey(where, key, keys));
  }
  const value = valueAt(raw, path);
  if (value === undefined) return [`${where} is not set: ${issue.message}`];
  const isBlock = issue.code === "invalid_type" && issue.expected === "object";
  const message = isBlock ? "must be a block of settings" : issue.message;
  return [`${where}=${JSON.stringify(value)}: ${message}`];
}

function unknownKey(block: string, key: string, { known, explain }: Keys): string {
  const where = block ? `${block}.${key}` : key;
  const explained = explain(where);
  if (explained) return `${where}: ${explained}`;
  const allowed = known[block] ?? [];
  return `${where}: unknown key; did you mean ${nearest(key, allowed)}? Allowed: ${allowed.join(", ")}`;
}

const valueAt = (raw: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? (value as Record<string, unknown>)[key]
        : undefined,
    raw,
  );
