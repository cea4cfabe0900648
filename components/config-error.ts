import { z } from "zod";
import { UserError } from "../contract/errors.ts";
import { nearest } from "../generator/suggestion.ts";
import { FIXED_VARIABLES } from "./generator/config.ts";
import { isSecretName, SECRETS, setSecretCommand } from "./secrets.ts";
import { settingCommand } from "./shared/names.ts";

type Issue = z.core.$ZodIssue;

/** A mistake in the configuration, and what to do about it. */
export interface Problem {
  readonly message: string;
  readonly hint: string;
}

/** Refuses a configuration with all its problems. @throws UserError */
export function refuse(problems: readonly Problem[]): never {
  const hints = new Set(problems.map(({ hint }) => hint));
  throw new UserError(
    `The stack's configuration is wrong:\n${problems.map(({ message }) => `  ${message}`).join("\n")}`,
    [...hints].join(", and "),
  );
}

/** Returns the forms of a block: one object, or one for each mode. */
export function formsOf(schema: unknown): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(formsOf);
  if (schema instanceof z.ZodPipe) return formsOf(schema.out);
  return schema instanceof z.ZodPrefault ? formsOf(schema.unwrap()) : [];
}

/** Returns the blocks or settings at a path, of all forms that a block may have. */
const schemasAt = (schema: z.ZodType, path: readonly string[]): z.ZodType[] =>
  path.reduce<z.ZodType[]>(
    (found, key) => found.flatMap(formsOf).flatMap(({ shape }) => shape[key] ?? []),
    [schema],
  );

const HINT = `run ${settingCommand("<setting>", "<value>")}, or edit Pulumi.<stack>.yaml`;

export const describeIssues = (
  raw: Readonly<Record<string, unknown>>,
  issues: readonly Issue[],
  schema: z.ZodType,
): Problem[] =>
  issues
    .flatMap((issue) => describe(raw, issue, schema))
    .map((message) => ({ message, hint: HINT }));

function describe(raw: unknown, issue: Issue, schema: z.ZodType): string[] {
  const path = issue.path.map(String);
  const where = path.join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownKey(raw, path, key, schema));
  }
  const value = valueAt(raw, path);
  if (value === undefined) return [`${where} is not set: ${issue.message}`];
  const isBlock = issue.code === "invalid_type" && issue.expected === "object";
  const message = isBlock ? "must be a block of settings" : issue.message;
  return [`${where}=${JSON.stringify(value)}: ${message}`];
}

function unknownKey(raw: unknown, block: readonly string[], key: string, schema: z.ZodType) {
  const where = [...block, key].join(".");
  const fixed = FIXED_VARIABLES[key as keyof typeof FIXED_VARIABLES];
  if (block.join(".") === "generator.settings" && fixed) return `${where}: fixed, it is ${fixed}`;
  if (isSecretName(key)) return `${where}: is a secret: ${setSecretCommand(key)}`;
  const shapes = schemasAt(schema, block).flatMap(formsOf);
  const allowed = new Set(shapes.flatMap(({ shape }) => Object.keys(shape)));
  if (allowed.has(key)) {
    return `${where}: not a setting with ${block.join(".")}.mode=${valueAt(raw, [...block, "mode"])}`;
  }
  const others = [...allowed, ...(block.length === 0 ? Object.keys(SECRETS) : [])];
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
