import { exception } from "./errors.ts";
import { isWord, type Token, tokens } from "./lexer.ts";

/** What must be known of a statement before the engine runs it. */
export interface Statement {
  /** The statement as the engine writes it. */
  readonly text: string;
  /** First keyword in capitals (SELECT, CREATE, …); PARALLEL for several statements in one. */
  readonly keyword: string;
  /** Cannot change anything, so it may be cancelled when nobody waits for its result. */
  readonly reads: boolean;
  /** Its result can be read block by block: the engine computes nothing before the first block. */
  readonly streams: boolean;
  /** Name in what may be a FORMAT clause; a column can be called `format`, too. */
  readonly format?: string;
  /** First table function that reads or writes an external source, e.g. `url`. */
  readonly externalSource?: string;
}

/** Statements that only read; any other is a write. What EXPLAIN explains does not run, or is a SELECT. */
const READING = ["SELECT", "WITH", "SHOW", "DESCRIBE", "EXPLAIN", "EXISTS", "CHECK"];

/** Table functions that only make rows, or read tables of this database. */
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

/**
 * Reads a statement in the engine's own form. `externalSources` are the names, in small letters, of the
 * table functions that read or write one. Throws ClickHouse's exceptions for what no client may do.
 */
export function inspect(text: string, externalSources: ReadonlySet<string>): Statement {
  const all = [...tokens(text)];
  const top = all.filter((token) => token.depth === 0);
  refuseFiles(top);
  refuseDialect(top);
  refuseLogComment(all);
  const keyword = keywordOf(all);
  const reads = READING.includes(keyword);
  const source = all.find((token, i) => isCall(all, i) && externalSources.has(nameOf(token)));
  const format = formatClause(top);
  return {
    text,
    keyword,
    reads,
    streams: reads && !source && !all.some((_, i) => isComputedFirst(all, i)),
    ...(format === undefined ? {} : { format }),
    ...(source === undefined ? {} : { externalSource: nameOf(source) }),
  };
}

/** Whether the statement changes no data: it reads, or sets something for its own session. */
export const isHarmless = ({ reads, keyword }: Statement): boolean =>
  reads || keyword === "SET" || keyword === "USE";

/** After PARALLEL WITH, the first statement says nothing of the others. */
function keywordOf(all: readonly Token[]): string {
  if (follows(all, "PARALLEL", "WITH")) return "PARALLEL";
  return (all.find(({ text }) => text !== "(")?.text ?? "").toUpperCase();
}

/**
 * The default database must stay: every connection of the engine starts in it. `bindings` are the
 * values of this request's `param_…`; a parameter that its session holds may be any name.
 */
export function refuseLossOfDefault(
  { text, keyword }: Statement,
  bindings: ReadonlyMap<string, string>,
): void {
  const all = [...tokens(text)];
  // A SET beside the DROP could bind the parameter to something else.
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

/** Whether the name from `at` on is or could be `default`. */
function mayBeDefault(
  all: readonly Token[],
  at: number,
  bindings: ReadonlyMap<string, string>,
): boolean {
  const from = all.findIndex((token, i) => i >= at && !isWord(token, "IF", "EXISTS", "EMPTY"));
  const name = all[from];
  if (name?.text !== "{") return name !== undefined && nameOf(name, (text) => text) === "default";
  const value = bindings.get(`param_${all[from + 1]?.text}`);
  // Values come in an escaped form: an escape could spell any name.
  return value === undefined || value === "default" || value.includes("\\");
}

function refuseFiles(top: readonly Token[]): void {
  if (follows(top, "INTO", "OUTFILE")) {
    throw exception("INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed");
  }
  // A path in quotes follows, unlike the name of a table `infile`.
  const fromFile = top.some((token, i) => isWord(token, "INFILE") && top[i + 1]?.kind === "string");
  if (isWord(top[0], "INSERT") && fromFile) {
    throw exception("UNKNOWN_TYPE_OF_QUERY", "Query has infile and was send directly to server");
  }
}

/** What this interface reads must be what the engine reads. */
function refuseDialect(top: readonly Token[]): void {
  const sets = isWord(top[0], "SET") && top.some((token) => nameOf(token) === "dialect");
  if (sets) throw otherDialect();
}

/** The interface finds a statement under way by its log comment: to end it when its client leaves, or on KILL. */
function refuseLogComment(all: readonly Token[]): void {
  const sets = all.some(
    (token, i) =>
      nameOf(token) === "log_comment" && all[i + 1]?.text === "=" && isInSettings(all.slice(0, i)),
  );
  if (!sets) return;
  throw exception(
    "NOT_IMPLEMENTED",
    "The setting log_comment is not free: the embedded engine's HTTP interface names statements by it. " +
      "Give the statement a query_id instead",
  );
}

/** Whether what follows these tokens is a setting: of SET, or of SETTINGS before any further clause. */
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

/** Keywords before a subquery that the engine reads as a table, when its rows are asked for. */
const BEFORE_TABLE = ["FROM", "JOIN", "AS", "ALL", "DISTINCT", "UNION", "EXCEPT", "INTERSECT"];

/** A subquery in an expression: the engine computes its value while it plans the statement. */
function isComputedFirst(all: readonly Token[], at: number): boolean {
  const opens = all[at]?.text === "(" && isWord(all[at + 1], "SELECT", "WITH");
  return opens && !isWord(all[at - 1], ...BEFORE_TABLE, "VIEW");
}

/** The last FORMAT name that ends the statement or comes before SETTINGS. */
function formatClause(top: readonly Token[]): string | undefined {
  const at = top.findLastIndex((token, i) => {
    const [before, name, after] = [top[i - 1], top[i + 1], top[i + 2]];
    const ends = after === undefined || isWord(after, "SETTINGS");
    const column = before === undefined || before.text === "," || isWord(before, "SELECT");
    return isWord(token, "FORMAT") && name?.kind === "word" && ends && !column;
  });
  return at < 0 ? undefined : top[at + 1]?.text;
}
