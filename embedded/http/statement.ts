import { exception } from "./errors.ts";
import { FILTER_SETTINGS } from "./filter-settings.ts";
import { isWord, type Token, tokens } from "./lexer.ts";
import { quoted } from "./parameters.ts";

export interface Statement {
  /** Statement in the engine's normal form. */
  readonly text: string;
  /** First keyword in capitals (SELECT, CREATE, …); PARALLEL for several statements in one. */
  readonly keyword: string;
  /** True for a read-only statement, which may be cancelled when the client disconnects. */
  readonly reads: boolean;
  /** True if the result can be streamed, without computation before the first block. */
  readonly streams: boolean;
  /** Name in a possible FORMAT clause, or the alias of a column `format`. */
  readonly format?: string;
  readonly externalSource?: string;
  readonly filterSetting?: string;
}

/** Keywords of read-only statements. EXPLAIN runs at most a SELECT. */
const READING = ["SELECT", "WITH", "SHOW", "DESCRIBE", "EXPLAIN", "EXISTS", "CHECK"];

/** Table functions that only generate rows or read tables of this database. */
export const INTERNAL_TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  "dictionary",
  "format",
  "fuzzjson",
  "fuzzquery",
  "generaterandom",
  "generateseries",
  "generate_series",
  "merge",
  "mergetreeanalyzeindexes",
  "mergetreeindex",
  "mergetreeprojection",
  "mergetreetextindex",
  "null",
  "numbers",
  "numbers_mt",
  "primes",
  "sqlstandardvalues",
  "values",
  "view",
  "viewexplain",
  "viewifpermitted",
  "zeros",
  "zeros_mt",
]);

/** Analyses a statement. @param ownFile file that an INSERT may read. Throws ServerException. */
export function inspect(
  text: string,
  externalSources: ReadonlySet<string>,
  ownFile?: string,
): Statement {
  const all = [...tokens(text)];
  const top = all.filter((token) => token.depth === 0);
  refuseFiles(top, ownFile);
  refuseDialect(top);
  refuseLogComment(all);
  const keyword = keywordOf(all);
  const reads = READING.includes(keyword);
  const source = all.find((token, i) => isCall(all, i) && externalSources.has(nameOf(token)));
  const format = formatClause(top);
  const filter = all.map((token) => nameOf(token)).find((name) => FILTER_SETTINGS.includes(name));
  return {
    text,
    keyword,
    reads,
    streams: reads && !source && !all.some((_, i) => isComputedFirst(all, i)),
    ...(format === undefined ? {} : { format }),
    ...(source === undefined ? {} : { externalSource: nameOf(source) }),
    ...(filter === undefined ? {} : { filterSetting: filter }),
  };
}

/** True for statements that change at most the session. */
export const isHarmless = ({ reads, keyword }: Statement): boolean =>
  reads || keyword === "SET" || keyword === "USE";

/** Returns the first keyword, or PARALLEL for several statements. */
function keywordOf(all: readonly Token[]): string {
  if (follows(all, "PARALLEL", "WITH")) return "PARALLEL";
  return (all.find(({ text }) => text !== "(")?.text ?? "").toUpperCase();
}

/** Refuses to drop the database `default`, in which every connection starts. */
export function refuseLossOfDefault(
  { text, keyword }: Statement,
  bindings: ReadonlyMap<string, string>,
): void {
  const all = [...tokens(text)];
  // A SET in the same PARALLEL statement could change the parameter.
  const known = keyword === "PARALLEL" ? new Map<string, string>() : bindings;
  const lost = all.some(
    (token, i) =>
      isWord(token, "DROP", "DETACH") &&
      isWord(all[i + 1], "DATABASE") &&
      mayBeDefault(all, i + 2, known),
  );
  if (!lost) return;
  throw exception(
    "NOT_IMPLEMENTED",
    "The database default cannot be dropped or detached, because every connection of the embedded engine " +
      "starts in it. Drop its tables instead. A parameter for the name of another database " +
      "(param_…) must come with the request",
  );
}

function mayBeDefault(
  all: readonly Token[],
  at: number,
  bindings: ReadonlyMap<string, string>,
): boolean {
  const from = all.findIndex((token, i) => i >= at && !isWord(token, "IF", "EXISTS", "EMPTY"));
  const name = all[from];
  if (name?.text !== "{") return name !== undefined && nameOf(name, (text) => text) === "default";
  const value = bindings.get(`param_${all[from + 1]?.text}`);
  // An escape sequence in the value could form any name.
  return value === undefined || value === "default" || value.includes("\\");
}

function refuseFiles(top: readonly Token[], ownFile: string | undefined): void {
  if (follows(top, "INTO", "OUTFILE")) {
    throw exception("INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed");
  }
  // Only a quoted string after INFILE is a path; a table may have the name `infile`.
  const files = top.filter(({ kind }, i) => kind === "string" && isWord(top[i - 1], "INFILE"));
  const own = ownFile === undefined ? undefined : quoted(ownFile);
  if (isWord(top[0], "INSERT") && files.some(({ text }) => text !== own)) throw infileRefused();
}

export const infileRefused = () =>
  exception("UNKNOWN_TYPE_OF_QUERY", "Query has infile and was send directly to server");

/** Rejects SET dialect, because this interface parses only ClickHouse SQL. */
function refuseDialect(top: readonly Token[]): void {
  const sets = isWord(top[0], "SET") && top.some((token) => nameOf(token) === "dialect");
  if (sets) throw dialectError();
}

/** Rejects the setting log_comment, by which KILL and disconnects find a statement. */
function refuseLogComment(all: readonly Token[]): void {
  const sets = all.some(
    (token, i) =>
      nameOf(token) === "log_comment" && all[i + 1]?.text === "=" && isInSettings(all.slice(0, i)),
  );
  if (!sets) return;
  throw exception(
    "NOT_IMPLEMENTED",
    "The setting log_comment is reserved, because the HTTP interface identifies statements by it. " +
      "hint: set query_id instead",
  );
}

/** True if the next token is a setting of SET, or of SETTINGS without a later clause. */
function isInSettings(before: readonly Token[]): boolean {
  const clause = before.findLast((token) => isWord(token, ...SETTING_CLAUSES));
  return clause !== undefined && isWord(clause, "SET", "SETTINGS");
}

/** Clauses after which `log_comment = 'x'` is a comparison again. */
const SETTING_CLAUSES = ["SET", "SETTINGS", "SELECT", "WHERE", "PREWHERE", "HAVING", "ON", "BY"];

export const dialectError = () =>
  exception("NOT_IMPLEMENTED", "The embedded engine's HTTP interface supports ClickHouse SQL only");

const follows = (top: readonly Token[], first: string, second: string): boolean =>
  top.some((token, i) => isWord(token, first) && isWord(top[i + 1], second));

const isCall = (all: readonly Token[], at: number): boolean =>
  all[at + 1]?.text === "(" && ["word", "quoted"].includes(all[at]?.kind ?? "");

const nameOf = (
  { kind, text }: Token,
  fold: (text: string) => string = (name) => name.toLowerCase(),
): string => fold(kind === "quoted" ? text.slice(1, -1) : text);

/** Keywords before a subquery that is a table, which the engine reads on demand. */
const BEFORE_TABLE = ["FROM", "JOIN", "AS", "ALL", "DISTINCT", "UNION", "EXCEPT", "INTERSECT"];

/** True for a subquery in an expression, which the engine computes during planning. */
function isComputedFirst(all: readonly Token[], at: number): boolean {
  const opens = all[at]?.text === "(" && isWord(all[at + 1], "SELECT", "WITH");
  return opens && !isWord(all[at - 1], ...BEFORE_TABLE, "VIEW");
}

function formatClause(top: readonly Token[]): string | undefined {
  const at = top.findLastIndex((token, i) => {
    const [before, name, after] = [top[i - 1], top[i + 1], top[i + 2]];
    const ends = after === undefined || isWord(after, "SETTINGS");
    const column = before === undefined || before.text === "," || isWord(before, "SELECT");
    return isWord(token, "FORMAT") && name?.kind === "word" && ends && !column;
  });
  return at < 0 ? undefined : top[at + 1]?.text;
}
