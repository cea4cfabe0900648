import { existsSync, statSync } from "node:fs";
import { exception } from "./errors.ts";
import { isWord, type Token, tokens } from "./lexer.ts";
import type { QueryParameters } from "./parameters.ts";
import type { Statement } from "./statement.ts";

/** Beginnings and signs of paths, addresses and patterns of files. */
const PATH = /^[/.~]|::|:\/\/|[*?{]/;

/**
 * The engine opens a file where a table of the default database has a path for its name. Throws
 * READONLY for names that are paths: by GET, a statement reads tables only.
 */
export function refuseFileNames(
  { text }: Statement,
  { bindings, session }: Pick<QueryParameters, "bindings" | "session">,
): void {
  const all = [...tokens(text)];
  for (const i of all.keys()) {
    const parameter = identifierParameter(all, i);
    const bound = bindings.get(`param_${parameter}`);
    const name = parameter === undefined ? tableName(all, i) : bound;
    const unknown = parameter !== undefined && bound === undefined && session !== undefined;
    if (unknown) throw refused(`{${parameter}:Identifier}`, "bind it in this request");
    const file = name !== undefined && (PATH.test(name) || name.includes("\\") || isFile(name));
    if (file) throw refused(name, "send it by POST");
  }
}

const refused = (name: string, hint: string) =>
  exception(
    "READONLY",
    `'${name}' may name a file, and a GET request reads tables only. hint: ${hint}`,
  );

/** The name in `{name:Identifier}` when it begins at this token. */
function identifierParameter(all: readonly Token[], at: number): string | undefined {
  const isParameter = all[at]?.text === "{" && isWord(all[at + 3], "IDENTIFIER");
  return isParameter ? all[at + 1]?.text : undefined;
}

/** The name at this token, if it can be that of a table. After AS stands an alias. */
function tableName(all: readonly Token[], at: number): string | undefined {
  const [before, token] = [all[at - 1], all[at]];
  if (token?.kind === "quoted") {
    return isWord(before, "AS") ? undefined : token.text.slice(1, -1).replace(/\\(.)/g, "$1");
  }
  const begins = isWord(before, "FROM", "JOIN", "TABLE") || /^[(,.]$/.test(before?.text ?? "");
  return token?.kind === "word" && begins ? token.text : undefined;
}

/** A plain word such as `data` is a file only if it names no folder. */
const isFile = (name: string): boolean =>
  /^\w+$/.test(name)
    ? (statSync(name, { throwIfNoEntry: false })?.isFile() ?? false)
    : existsSync(name);
