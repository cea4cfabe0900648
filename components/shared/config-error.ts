import type { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { nearest } from "../../generator/nearest.ts";
import { settingHint } from "./names.ts";

type Issue = z.core.$ZodIssue;
/** Keys allowed at a path (`""` is the top, `generator.settings` a block in a block). */
export type KnownKeys = Readonly<Record<string, readonly string[]>>;

/** One line per problem: component, key, bad value, what is allowed. */
export function refuseConfig(
  raw: Readonly<Record<string, unknown>>,
  issues: readonly Issue[],
  known: KnownKeys,
): never {
  const lines = issues.flatMap((issue) => describe(raw, issue, known));
  throw new UserError(
    `The stack's configuration is wrong:\n${lines.map((line) => `  ${line}`).join("\n")}`,
    settingHint("each of them", "an allowed value"),
  );
}

function describe(raw: unknown, issue: Issue, known: KnownKeys): string[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    const allowed = known[path.join(".")] ?? [];
    return issue.keys.map((key) => unknownKey([...path, key].join("."), key, allowed));
  }
  return [`${path.join(".")}=${show(valueAt(raw, path))}: ${issue.message}`];
}

function unknownKey(where: string, key: string, allowed: readonly string[]): string {
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

const show = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value));
