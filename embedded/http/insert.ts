import { exception } from "./errors.ts";
import { isWord, type Token, tokens } from "./lexer.ts";
import { infileRefused } from "./statement.ts";

export interface InsertWithData {
  readonly head: string;
  readonly settings: string;
  readonly format: string;
  /** Offset of the first byte of data. */
  readonly dataStart: number;
  /** Position of input('structure') in `head`, if rows pass through a SELECT. */
  readonly input?: { readonly start: number; readonly end: number; readonly structure: string };
}

/**
 * Parses the start of a text as an INSERT with data; undefined for other text, or without the data
 * clause. Requires one character per byte, so that offsets count bytes.
 */
export function parseInsert(text: string): InsertWithData | undefined {
  const source = tokens(text);
  const next = (): Token | undefined => source.next().value ?? undefined;
  if (!isWord(next(), "INSERT")) return undefined;
  let token = next();
  if (isWord(token, "INTO")) token = next();
  if (isWord(token, "TABLE", "FUNCTION")) token = next();
  // Skips the table name, which may be a keyword such as `values`.
  return token && dataClause(text, next);
}

function dataClause(text: string, next: () => Token | undefined): InsertWithData | undefined {
  let settingsFrom: number | undefined;
  let input: InsertWithData["input"];
  let selects = false;
  for (let previous: Token | undefined, token = next(); token; previous = token, token = next()) {
    if (previous && isWord(previous, "INPUT") && token.text === "(") {
      input = inputCall(previous, next);
      continue;
    }
    if (token.depth > 0 || previous?.text === ".") continue;
    // This error is clearer than the engine's. After SELECT, `infile` may be a table.
    if (!selects && isWord(previous, "FROM") && isWord(token, "INFILE")) throw infileRefused();
    if (isWord(token, "SELECT", "WITH", "WATCH")) selects = true;
    if (isWord(token, "SETTINGS")) settingsFrom = token.start;
    if (isWord(token, "FORMAT", "VALUES") && (!selects || input)) {
      return describe(text, token, next, { settingsFrom, input });
    }
  }
  return undefined;
}

function describe(
  text: string,
  clause: Token,
  next: () => Token | undefined,
  seen: { settingsFrom: number | undefined; input: InsertWithData["input"] },
): InsertWithData | undefined {
  const values = isWord(clause, "VALUES");
  const name = values ? clause : next();
  if (!name) return undefined;
  const headEnd = seen.settingsFrom ?? clause.start;
  return {
    head: text.slice(0, headEnd),
    settings: text.slice(headEnd, clause.start),
    format: values ? "Values" : name.text,
    dataStart: startOfData(text, name.end),
    ...(seen.input === undefined ? {} : { input: seen.input }),
  };
}

/** Returns the start of the data: after the line break or the spaces behind the statement. */
function startOfData(text: string, from: number): number {
  const skipped = /[ \t\f]*(;?)\r?\n?/y;
  skipped.lastIndex = from;
  if (skipped.exec(text)?.[1] === ";") {
    throw exception("SYNTAX_ERROR", "You have excessive ';' symbol before data for INSERT");
  }
  return skipped.lastIndex;
}

function inputCall(name: Token, next: () => Token | undefined): InsertWithData["input"] {
  const structure = next();
  const close = next();
  if (structure?.kind !== "string" || close?.text !== ")") {
    throw exception("BAD_ARGUMENTS", "Table function 'input' requires a structure in quotes");
  }
  return { start: name.start, end: close.end, structure: structure.text };
}

/** Rewrites an INSERT to read a file; `path` must not contain quotes. */
export function rewriteToReadFile(insert: InsertWithData, path: string): string {
  const { head, settings, format, input } = insert;
  if (input === undefined) {
    return `${head} FROM INFILE '${path}' COMPRESSION 'none' ${settings} FORMAT ${format}`;
  }
  const file = `file('${path}', '${format}', ${input.structure}, 'none')`;
  return `${head.slice(0, input.start)}${file}${head.slice(input.end)} ${settings}`;
}
