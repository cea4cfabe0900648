import { exception } from "./errors.ts";
import { isWord, type Token, tokens } from "./lexer.ts";

/** What must be known of a statement before the engine runs it. */
export interface Statement {
  /** First keyword in capitals: SELECT, CREATE, … */
  readonly keyword: string;
  /** Cannot change anything, so it may be cancelled when nobody waits for its result. */
  readonly reads: boolean;
  /** Name in the FORMAT clause. */
  readonly format?: string;
}

const READING = new Set([
  "SELECT",
  "WITH",
  "FROM",
  "(",
  "SHOW",
  "DESCRIBE",
  "DESC",
  "EXPLAIN",
  "EXISTS",
  "CHECK",
]);

/** Throws ClickHouse's exceptions for an empty text, several statements and INTO OUTFILE. */
export function inspect(sql: string): Statement {
  const all = [...tokens(sql)];
  const first = all[0];
  if (!first || first.text === ";") throw exception("SYNTAX_ERROR", "Empty query");
  refuseSeveral(sql, all);
  const top = all.filter((token) => token.depth === 0);
  if (top.some((token, i) => isWord(token, "INTO") && isWord(top[i + 1], "OUTFILE"))) {
    throw exception("INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed");
  }
  const keyword = first.text.toUpperCase();
  const format = formatClause(top);
  return {
    keyword,
    reads: READING.has(keyword) && !top.some((token) => isWord(token, "INSERT")),
    ...(format === undefined ? {} : { format }),
  };
}

function refuseSeveral(sql: string, all: readonly Token[]): void {
  const end = all.findIndex((token) => token.text === ";");
  const rest = all.slice(end + 1).find((token) => token.text !== ";");
  const at = all[end];
  if (!at || !rest) return;
  throw exception(
    "SYNTAX_ERROR",
    `Syntax error (Multi-statements are not allowed): failed at position ${at.start + 1} ` +
      `(end of query): ${sql.slice(at.start, at.start + 100).trimEnd()}`,
  );
}

/** The last FORMAT name that ends the statement or stands before SETTINGS. */
function formatClause(top: readonly Token[]): string | undefined {
  const at = top.findLastIndex((token, i) => {
    const [before, name, after] = [top[i - 1], top[i + 1], top[i + 2]];
    const ends = after === undefined || after.text === ";" || isWord(after, "SETTINGS");
    const column = before === undefined || before.text === "," || isWord(before, "SELECT");
    return isWord(token, "FORMAT") && name?.kind === "word" && ends && !column;
  });
  return at < 0 ? undefined : top[at + 1]?.text;
}
