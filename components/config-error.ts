import { z } from "zod";
import { UserError } from "../contract/errors.ts";
import { nearest } from "../generator/suggestion.ts";
import { must } from "./config-fields.ts";
import { isSecretName, SECRETS, setSecretCommand } from "./secrets.ts";
import { settingCommand } from "./shared/names.ts";

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

const HINT = `run ${settingCommand("<setting>", "<value>")}, or edit Pulumi.<stack>.yaml`;

export const problemsOf = ({ issues }: z.ZodError): Problem[] =>
  issues.flatMap(inBlock).map(({ path, message }) => ({
    message: `${path.length > 0 ? `${path.join(".")}: ` : ""}${message}`,
    hint: HINT,
  }));

type Issue = z.core.$ZodIssue;

/** Returns the issues in a block that is not `false`, which zod reports as one of the union. */
function inBlock(issue: Issue): Issue[] {
  const inner = issue.code === "invalid_union" ? (issue.errors.at(-1) ?? []) : [];
  return inner.some(({ path }) => path.length > 0)
    ? inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
    : [issue];
}

/** Message of what the fields leave to zod: keys that a block does not have, and what is no block. */
export function blockError(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") return must("a block of settings")(issue);
  if (issue.code !== "unrecognized_keys" || !(issue.inst instanceof z.ZodObject)) return undefined;
  const allowed = Object.keys(issue.inst.shape);
  const unknown = issue.keys.map((key) => unknownKey(key, allowed));
  const form = issue.input?.mode ? ` with mode=${issue.input.mode}` : "";
  return `${unknown.join(" ")} Allowed${form}: ${allowed.join(", ")}`;
}

const unknownKey = (key: string, allowed: readonly string[]): string =>
  isSecretName(key)
    ? `${key} is a secret: ${setSecretCommand(key)}.`
    : `unknown key ${key}; did you mean ${nearest(key, [...allowed, ...Object.keys(SECRETS)])}?`;
