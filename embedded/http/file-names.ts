import { existsSync, statSync } from "node:fs";
import { exception } from "./errors.ts";
import { isWord, type Token, tokens } from "./lexer.ts";
import type { QueryParameters } from "./parameters.ts";
import type { Parser } from "./parser.ts";
import type { Statement } from "./statement.ts";
import { isReadable } from "./table-names.ts";

const PATH = /^[/.~]|::|:\/\/|[*?{]/;

/** Refuses table names that the engine would open as files. @throws ServerException READONLY */
export async function refuseFileNames(
  parser: Parser,
  { text, keyword }: Statement,
  parameters: Bound,
  signal: AbortSignal,
): Promise<void> {
  const all = [...tokens(text)];
  for (const i of all.keys()) refuseFileParameter(identifierParameter(all, i), parameters);
  const names = [...all.keys()].map((i) => tableName(all, i)).filter((name) => name !== undefined);
  const files = names.filter(mayBeFile);
  if (files.length === 0) return;
  const isTable = isReadable(keyword, all) ? await parser.tableTest(text, signal) : () => true;
  const file = files.find(isTable);
  if (file !== undefined) throw refused(file, "send the statement by POST");
}

type Bound = Pick<QueryParameters, "bindings" | "session">;

function refuseFileParameter(parameter: string | undefined, { bindings, session }: Bound): void {
  if (parameter === undefined) return;
  const name = bindings.get(`param_${parameter}`);
  const unknown = name === undefined && session !== undefined;
  if (unknown) throw refused(`{${parameter}:Identifier}`, "bind the parameter in this request");
  if (name !== undefined && mayBeFile(name)) throw refused(name, "send the statement by POST");
}

const mayBeFile = (name: string): boolean => PATH.test(name) || name.includes("\\") || isFile(name);

const refused = (name: string, hint: string) =>
  exception(
    "READONLY",
    `'${name}' may be the name of a file; a GET request may read only tables. hint: ${hint}`,
  );

function identifierParameter(all: readonly Token[], at: number): string | undefined {
  const isParameter = all[at]?.text === "{" && isWord(all[at + 3], "IDENTIFIER");
  return isParameter ? all[at + 1]?.text : undefined;
}

/** Returns the possible table name at a token. A name after AS is an alias. */
function tableName(all: readonly Token[], at: number): string | undefined {
  const [before, token] = [all[at - 1], all[at]];
  if (token?.kind === "quoted") {
    return isWord(before, "AS") ? undefined : token.text.slice(1, -1).replace(/\\(.)/g, "$1");
  }
  const begins = isWord(before, "FROM", "JOIN", "TABLE") || /^[(,.]$/.test(before?.text ?? "");
  return token?.kind === "word" && begins ? token.text : undefined;
}

/** True for a path; a plain word such as `data` is a file only if it is not a folder. */
const isFile = (name: string): boolean =>
  /^\w+$/.test(name)
    ? (statSync(name, { throwIfNoEntry: false })?.isFile() ?? false)
    : existsSync(name);
