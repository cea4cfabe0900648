import { existsSync, statSync } from "node:fs";
import { exception } from "./errors.ts";
import { isWord, type Token, tokens } from "./lexer.ts";
import type { QueryParameters } from "./parameters.ts";
import type { Statement } from "./statement.ts";

/** Prefixes and characters of paths, addresses and file patterns. */
const PATH = /^[/.~]|::|:\/\/|[*?{]/;

/**
 * Rejects table names that are paths, because the engine opens such a name in the default database
 * as a file.
 * @throws ServerException READONLY: a GET reads tables only
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

/** Returns the name in `{name:Identifier}` if it begins at this token. */
function identifierParameter(all: readonly Token[], at: number): string | undefined {
  const isParameter = all[at]?.text === "{" && isWord(all[at + 3], "IDENTIFIER");
  return isParameter ? all[at + 1]?.text : undefined;
}

/** Returns the table name at this token, if any. A name after AS is an alias. */
function tableName(all: readonly Token[], at: number): string | undefined {
  const [before, token] = [all[at - 1], all[at]];
  if (token?.kind === "quoted") {
    return isWord(before, "AS") ? undefined : token.text.slice(1, -1).replace(/\\(.)/g, "$1");
  }
  const begins = isWord(before, "FROM", "JOIN", "TABLE") || /^[(,.]$/.test(before?.text ?? "");
  return token?.kind === "word" && begins ? token.text : undefined;
}

/** A plain word such as `data` is a file only if it is not a folder. */
const isFile = (name: string): boolean =>
  /^\w+$/.test(name)
    ? (statSync(name, { throwIfNoEntry: false })?.isFile() ?? false)
    : existsSync(name);
