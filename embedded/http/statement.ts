import { exception } from "./errors.ts";
import { FILTER_SETTINGS } from "./filter-settings.ts";
import { isWord, type Token, tokens } from "./lexer.ts";
import { quoted } from "./parameters.ts";

export interface Statement {
  /** Statement in the engine's normal form. */
  readonly text: string;
  /** First keyword in capitals (SELECT, CREATE, …); PARALLEL for several statements in one. */
  readonly keyword: string;
  /** True if it cannot change anything, so it may be cancelled when its client leaves. */
  readonly reads: boolean;
  /** True if its result can be streamed: the engine computes nothing before the first block. */
  readonly streams: boolean;
  /** Name in a possible FORMAT clause; a column may also be called `format`. */
  readonly format?: string;
  readonly externalSource?: string;
  readonly filterSetting?: string;
}

/** Any other writes. What EXPLAIN explains does not run, or is a SELECT. */
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

/** `externalSources` in lower case; an INSERT reads `ownFile`. Throws ClickHouse's exceptions. */
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

/** A SET changes only its own session. */
export const isHarmless = ({ reads, keyword }: Statement): boolean =>
  reads || keyword === "SET" || keyword === "USE";

/** After PARALLEL WITH, the first keyword does not describe the other statements. */
function keywordOf(all: readonly Token[]): string {
  if (follows(all, "PARALLEL", "WITH")) return "PARALLEL";
  return (all.find(({ text }) => text !== "(")?.text ?? "").toUpperCase();
}

/** Every connection starts there. `bindings`: the request's `param_…` values. */
export function refuseLossOfDefault(
  { text, keyword }: Statement,
  bindings: ReadonlyMap<string, string>,
): void {
  const all = [...tokens(text)];
  // A SET beside the DROP could rebind the parameter.
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
    "The database default cannot be dropped or detached: every connection of the embedded engine " +
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
  // Values are escaped, and an escape could spell any name.
  return value === undefined || value === "default" || value.includes("\\");
}

function refuseFiles(top: readonly Token[], ownFile: string | undefined): void {
  if (follows(top, "INTO", "OUTFILE")) {
    throw exception("INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed");
  }
  // A quoted path follows, unlike after the name of a table `infile`.
  const files = top.filter(({ kind }, i) => kind === "string" && isWord(top[i - 1], "INFILE"));
  const own = ownFile === undefined ? undefined : quoted(ownFile);
  if (isWord(top[0], "INSERT") && files.some(({ text }) => text !== own)) throw infileRefused();
}

export const infileRefused = () =>
  exception("UNKNOWN_TYPE_OF_QUERY", "Query has infile and was send directly to server");

/** Rejects other dialects, which this interface and the engine would parse differently. */
function refuseDialect(top: readonly Token[]): void {
  const sets = isWord(top[0], "SET") && top.some((token) => nameOf(token) === "dialect");
  if (sets) throw otherDialect();
}

/** log_comment finds a statement for KILL or when its client leaves. */
function refuseLogComment(all: readonly Token[]): void {
  const sets = all.some(
    (token, i) =>
      nameOf(token) === "log_comment" && all[i + 1]?.text === "=" && isInSettings(all.slice(0, i)),
  );
  if (!sets) return;
  throw exception(
    "NOT_IMPLEMENTED",
    "The setting log_comment is reserved: the embedded engine's HTTP interface identifies statements by it. " +
      "hint: set a query_id instead",
  );
}

/** True if a setting follows these tokens: of SET, or of SETTINGS before any further clause. */
function isInSettings(before: readonly Token[]): boolean {
  const clause = before.findLast((token) => isWord(token, ...SETTING_CLAUSES));
  return clause !== undefined && isWord(clause, "SET", "SETTINGS");
}

/** Clauses after which `log_comment = 'x'` is a comparison again. */
const SETTING_CLAUSES = ["SET", "SETTINGS", "SELECT", "WHERE", "PREWHERE", "HAVING", "ON", "BY"];

export const otherDialect = () =>
  exception("NOT_IMPLEMENTED", "The embedded engine's HTTP interface reads ClickHouse SQL only");

const follows = (top: readonly Token[], first: string, second: string): boolean =>
  top.some((token, i) => isWord(token, first) && isWord(top[i + 1], second));

const isCall = (all: readonly Token[], at: number): boolean =>
  all[at + 1]?.text === "(" && ["word", "quoted"].includes(all[at]?.kind ?? "");

const nameOf = (
  { kind, text }: Token,
  fold: (text: string) => string = (name) => name.toLowerCase(),
): string => fold(kind === "quoted" ? text.slice(1, -1) : text);

/** Keywords before a subquery that the engine reads as a table on demand. */
const BEFORE_TABLE = ["FROM", "JOIN", "AS", "ALL", "DISTINCT", "UNION", "EXCEPT", "INTERSECT"];

/** True for a subquery in an expression, which the engine computes while planning. */
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
