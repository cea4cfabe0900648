import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { literal, readQuery } from "../sql.ts";
import type { Input } from "./files.ts";

/** Lines are numbered only without threads. */
export const NUMBERED = "max_threads = 1, input_format_parallel_parsing = 0";

/** What the lines of a file say, which the engine's readers do not check. */
export interface Lines {
  /** Rows of the file by its lines; absent where a row is no line. */
  readonly rows?: number;
  /** Engine's name of the format. */
  readonly format: string;
  /** The file, or its copy without the lines that are no rows and the empty ones at its end. */
  readonly link: string;
  readonly warning?: string;
}

/**
 * Finds the lines that would lead the engine's reader astray, and adds them to `rejected`: a reader takes the rows
 * after a quote that is not closed for one value. The table `long_row` then has the rows of several lines.
 */
export async function readLines(
  db: Database,
  input: Input,
  format: string,
  columns: number,
): Promise<Lines> {
  if (format === "Parquet" || format === "LineAsString") return { format, link: input.link };
  await db.run(`CREATE OR REPLACE VIEW line AS ${linesOf(input, format)}`);
  await db.run("TRUNCATE TABLE long_row");
  if (format === "JSONEachRow") return objectLines(db, input, format);
  if (format === "CSV") return tableLines(db, input, format, csvGrammar(input.separator, columns));
  return tsvLines(db, input);
}

/** Rows of JSON are the lines that are not empty, other rows those after the header, which have the number 0. */
const linesOf = ({ link, header }: Input, format: string): string =>
  format === "JSONEachRow"
    ? `SELECT rowNumberInAllBlocks() + 1 AS number, place, trimBoth(replaceRegexpOne(line, '^\ufeff', '')) AS text
       FROM (SELECT ${PLACE} AS place, line FROM file(${literal(link)}, LineAsString) WHERE match(line, '\\\\S'))`
    : `SELECT toUInt64(greatest(place - ${header}, 0)) AS number, ${PLACE} AS place, line AS text
       FROM file(${literal(link)}, LineAsString)`;

/** The engine's number of a row may be NULL, and so would be the least of none. */
const PLACE = "toUInt64(assumeNotNull(_row_number) + 1)";

/** How a value goes on in the next line: patterns of a line. */
interface Grammar {
  /** Text of each line that begins or ends such a value. */
  readonly sign: string;
  /** The last value of the line goes on. */
  readonly opens: string;
  /** A line within a value has no end of it. */
  readonly stays: string;
  /** A line within a value has its end, and that of the row. */
  readonly closes: string;
  /** A line within a value has its end, and another value that goes on. */
  readonly reopens: string;
  /** What is wrong with a line whose value does not end. */
  readonly fault: string;
}

function csvGrammar(separator: string, columns: number): Grammar {
  const sign = separator === "|" ? "\\|" : separator;
  const blanks = separator === "\t" ? "[ \\r]*" : "[ \\t\\r]*";
  const open = `${blanks}"(?:[^"]|"")*`;
  const value = `(?:${open}"${blanks}|${blanks}(?:[^" \\t\\r${sign}][^${sign}]*)?)`;
  // The reader ends a row at a value too many, also if that value goes on. Many repetitions make a pattern too large.
  const more = columns > 100 ? "*" : `{0,${columns - 1}}`;
  const within = `^(?:[^"]|"")*"${blanks}`;
  return {
    sign: '"',
    opens: `^(?:${value}${sign})${more}${open}$`,
    stays: '^(?:[^"]|"")*$',
    closes: `${within}(?:${sign}${value})*$`,
    reopens: `${within}(?:${sign}${value})${more}${sign}${open}$`,
    fault: "a quote is not closed",
  };
}

const NEVER = "$.^";
const BACKSLASH_AT_END = "(?:^|[^\\\\])(?:\\\\\\\\)*\\\\$";
const ESCAPED: Grammar = {
  sign: "",
  opens: BACKSLASH_AT_END,
  stays: BACKSLASH_AT_END,
  closes: "",
  reopens: NEVER,
  fault: "a backslash ends the file",
};
const NO_QUOTES: Grammar = { ...ESCAPED, opens: NEVER };

/** Reads a table of text, whose values may go on in the next line. */
async function tableLines(
  db: Database,
  input: Input,
  format: string,
  grammar: Grammar,
): Promise<Lines> {
  const { fault, ...patterns } = grammar;
  const [counts] = await db.rows<{ rows: number; open: number; headers: number }>(
    `SELECT maxIf(number, text NOT IN ('', '\\r')) AS rows, countIf(number > 0 AND is_open) AS open, countIf(number = 0 AND is_open) AS headers
     FROM (SELECT *, match(text, {opens:String}) AS is_open FROM line) SETTINGS ${NUMBERED}`,
    patterns,
  );
  const { rows = 0, open = 0, headers = 0 } = counts ?? {};
  if (headers > 0) {
    throw new UserError(
      `${input.path}: the header does not end in line ${input.header}`,
      "write the names of the columns in one line, with both quotes of each that has one",
    );
  }
  if (open === 0) return { rows, format, link: input.link };
  const opening = await db.rows<OpeningLine>(
    `${readQuery("import/opening-lines.sql")} SETTINGS ${NUMBERED}`,
    patterns,
  );
  const long = longRows(opening);
  await db.insertTsv(
    "long_row",
    ["file", "number", "first", "last", "is_closed"],
    long.map((row) =>
      Buffer.from(
        `${[input.number, row.number, row.first, row.last, Number(row.isClosed)].join("\t")}\n`,
      ),
    ),
  );
  const further = long.reduce((sum, { first, last }) => sum + last - first, 0);
  const counted = { rows: rows - further, format };
  if (long.every(({ isClosed }) => isClosed)) return { ...counted, link: input.link };
  await db.run(
    `INSERT INTO rejected SELECT ${input.number}, long_row.number, 'unreadable row', concat('line ', toString(place), ': ', {fault:String}), text
     FROM line JOIN long_row ON line.number = long_row.first WHERE NOT is_closed SETTINGS ${NUMBERED}`,
    { fault },
  );
  const read = `SELECT text FROM line WHERE number <= ${rows} AND number NOT IN (SELECT first FROM long_row WHERE NOT is_closed)`;
  return { ...counted, link: await copy(db, input, read) };
}

/** A line that opens a value, with the next line that does not stay within it: 0 if there is none. */
interface OpeningLine {
  readonly number: number;
  readonly opens: boolean;
  readonly next: number;
  readonly next_kind: "" | "closes" | "reopens" | "breaks";
}

/** A row of several lines, or a line whose value does not end. */
interface LongRow {
  readonly number: number;
  readonly first: number;
  readonly last: number;
  readonly isClosed: boolean;
}

function longRows(opening: readonly OpeningLine[]): LongRow[] {
  // Last line of the row that a line opens; 0 if its value does not end.
  const ends = new Map<number, number>();
  for (const { number, next, next_kind } of opening.toReversed())
    ends.set(
      number,
      next_kind === "closes" ? next : next_kind === "reopens" ? (ends.get(next) ?? 0) : 0,
    );
  const found: LongRow[] = [];
  let last = 0;
  let further = 0;
  for (const { number: first, opens } of opening) {
    if (!opens || first <= last) continue;
    const end = ends.get(first) ?? 0;
    last = Math.max(first, end);
    found.push({ number: first - further, first, last, isClosed: end > 0 });
    further += last - first;
  }
  return found;
}

/** Writes the lines that the engine shall read. */
async function copy(db: Database, { link, number }: Input, select: string): Promise<string> {
  const file = `${link.slice(0, link.lastIndexOf("/"))}/${number}.copy.zst`;
  await db.run(
    `INSERT INTO FUNCTION file(${literal(file)}, TSVRaw, 'text String') ${select} SETTINGS ${NUMBERED}, output_format_compression_level = 1`,
  );
  return file;
}

/** A backslash escapes in a file if some of its values show it, and no value contradicts. */
async function tsvLines(db: Database, input: Input): Promise<Lines> {
  const [found] = await db.rows<{ first: number; texts: number; escapes: number }>(
    `${readQuery("import/backslashes.sql")} SETTINGS ${NUMBERED}`,
  );
  const { first = 0, texts = 0, escapes = 0 } = found ?? {};
  if (texts === 0 && escapes > 0) return tableLines(db, input, "TSV", ESCAPED);
  const lines = await tableLines(db, input, "TSVRaw", NO_QUOTES);
  if (first === 0 || texts > 0) return lines;
  const warning = `${input.path}: backslashes are read as text, first in row ${first}, because no value has \\\\ or \\N; replaceAll(column, '\\\\t', '\\t') reads one as a tab`;
  return { ...lines, warning };
}

/** Mends or rejects lines that are no object, unless most are none, as in an array of several lines. */
async function objectLines(db: Database, input: Input, format: string): Promise<Lines> {
  const isObject = "startsWith(text, '{') AND isValidJSON(text)";
  const [counts] = await db.rows<{ rows: number; others: number }>(
    `SELECT count() AS rows, countIf(NOT (${isObject})) AS others FROM line SETTINGS ${NUMBERED}`,
  );
  const { rows = 0, others = 0 } = counts ?? {};
  const whole = { format, link: input.link };
  if (others === 0) return { ...whole, rows };
  const mended = `SELECT number, place, text, json_object_of(text) AS object FROM line WHERE NOT (${isObject})`;
  const [found] = await db.rows<{ none: number; changed: number }>(
    `SELECT countIf(object = '') AS none, countIf(object != text) AS changed FROM (${mended}) SETTINGS ${NUMBERED}`,
  );
  const { none = 0, changed = 0 } = found ?? {};
  if (none > rows / 2) return whole;
  if (changed === 0) return { ...whole, rows };
  await db.run(
    `INSERT INTO rejected SELECT ${input.number}, number, 'unreadable row', concat('line ', toString(place), ': no JSON object'), text
     FROM (${mended}) WHERE object = '' SETTINGS ${NUMBERED}`,
  );
  const objects = `SELECT if(${isObject}, text, json_object_of(text)) AS object FROM line WHERE object != ''`;
  return { format, rows, link: await copy(db, input, objects) };
}
