import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { constants, gunzipSync, zstdDecompressSync } from "node:zlib";
import { quote } from "../../contract/command-call.ts";
import { DatabaseError, UserError } from "../../contract/errors.ts";
import { readFailure } from "../../contract/files.ts";
import type { Database } from "../../contract/ports.ts";
import { literal } from "../sql.ts";
import { isShipped, type Source } from "./source.ts";

const FORMATS: Readonly<Record<string, string>> = {
  csv: "CSVWithNames",
  txt: "CSVWithNames",
  tsv: "TSVWithNames",
  tab: "TSVWithNames",
  json: "JSONEachRow",
  jsonl: "JSONEachRow",
  ndjson: "JSONEachRow",
  parquet: "Parquet",
};
const ENDING = new RegExp(`\\.(${Object.keys(FORMATS).join("|")})(?:\\.(?:gz|zst))?$`, "i");

/** A file to read. */
export interface Input {
  /** As the user names it. */
  readonly path: string;
  /** Number in the data set, counted from 1. */
  readonly number: number;
  /** Link to the file under a name that holds no pattern, and an ending that the engine knows. */
  readonly link: string;
  readonly firstLine: string;
  /** True if lines end as in Windows. */
  readonly isCrlf: boolean;
}

/** Returns the files of paths, folders and patterns. @throws UserError if there is none */
export function filesOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const kind = statSync(path, { throwIfNoEntry: false });
    if (kind?.isFile() || (!kind && !/[*?[]/.test(path))) return [path];
    const found = globSync(kind?.isDirectory() ? join(path, "**/*") : path)
      .filter((file) => statSync(file).isFile() && !basename(file).startsWith("."))
      .sort();
    if (found.length > 0) return found;
    throw new UserError(`${path}: no file found`, `look for it: ls ${path}`);
  });
}

/** Returns the name of a file without the endings of its format. */
export const nameOf = (path: string): string =>
  basename(path)
    .replace(ENDING, "")
    .replace(/\.(gz|zst)$/i, "");

/** Opens a file. @param folder of its link. @throws UserError if it is missing, empty or UTF-16 */
export function openInput(path: string, number: number, folder: string): Input {
  const packed = /\.(gz|zst)$/i.exec(path)?.[1]?.toLowerCase();
  const start = startOf(path, packed);
  const [firstLine = ""] = start.split(/\r?\n/, 1);
  const link = join(folder, packed === undefined ? `${number}` : `${number}.${packed}`);
  mkdirSync(folder, { recursive: true });
  symlinkSync(resolve(path), link);
  return { path, number, link, firstLine, isCrlf: start.startsWith(`${firstLine}\r\n`) };
}

const START = 64 * 1024;

/** First bytes of packed files by their ending. */
const PACKINGS = { gz: "\x1f\x8b", zst: "\x28\xb5\x2f\xfd", zip: "PK\x03\x04" } as const;

/** Returns the beginning of a file as text. */
function startOf(path: string, packed: string | undefined): string {
  let start: Buffer = Buffer.alloc(START);
  try {
    const file = openSync(path, "r");
    start = start.subarray(0, readSync(file, start, 0, START, 0));
    closeSync(file);
    if (packed === "gz") start = gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH });
    if (packed === "zst")
      start = zstdDecompressSync(start, { finishFlush: constants.ZSTD_e_flush });
  } catch (error) {
    throw readFailure(error, path) ?? unreadable(path, error as Error);
  }
  const begin = start.toString("latin1", 0, 4);
  if (/^(?:\xff\xfe|\xfe\xff|\0[^\0]|[^\0]\0)/.test(begin)) throw notUtf8(path, "UTF-16", "");
  const packing = Object.entries(PACKINGS).find(([, sign]) => begin.startsWith(sign))?.[0];
  if (packing !== undefined) {
    throw new UserError(
      `${path} is compressed with ${packing}`,
      packing === "zip"
        ? `unpack it: unzip ${quote(path)}`
        : `rename it: ${quote(`${path}.${packing}`)}`,
    );
  }
  const text = start.toString("utf8").replace(/^\ufeff/, "");
  if (text.trim() === "") throw new UserError(`${path} is empty`, "export the data again");
  return text;
}

const unreadable = (path: string, { message }: Error): UserError =>
  new UserError(
    `${path} cannot be read: ${message.split("\n")[0]?.slice(0, 300)}`,
    "look at the file; save the data as CSV, JSON lines or Parquet",
  );

const notUtf8 = (path: string, encoding: string, place: string): UserError =>
  new UserError(
    `${path} is not UTF-8${place}`,
    `convert it: iconv -f ${encoding} -t UTF-8 ${basename(path)} > NEW_FILE`,
  );

/** Returns the engine's name of a file's format. @throws UserError for an unknown ending */
function formatOf({ path }: Input, source?: Source): string {
  if (source?.format === "lines") return "LineAsString";
  const format = FORMATS[ENDING.exec(path)?.[1]?.toLowerCase() ?? ""];
  if (format !== undefined) return format;
  const endings = Object.keys(FORMATS).map((one) => `.${one}`);
  throw new UserError(
    `${path} is of an unknown format. Allowed endings: ${endings.join(" ")}, each also with .gz or .zst`,
    'rename the file; a SELECT with "-- format: lines" reads any text',
  );
}

/** Returns the most frequent separator of a header. */
function separatorOf({ firstLine }: Input): string {
  const counts = [",", ";", "\t", "|"].map((sign) => ({
    sign,
    count: firstLine.split(sign).length,
  }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).sign;
}

/** Settings for a separator; a tab is trimmed as a blank otherwise. */
const separatedBy = (separator: string): string =>
  `format_csv_delimiter = ${literal(separator)}, input_format_csv_allow_whitespace_or_tab_as_delimiter = ${separator === "\t" ? 1 : 0}`;

/** Column of a file or of a SELECT, with the engine's type. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** Returns the columns of a file as the engine infers them. @throws UserError that names the file */
export async function columnsOf(db: Database, input: Input, source?: Source): Promise<Column[]> {
  const format = formatOf(input, source);
  if (format === "LineAsString") return [{ name: "line", type: "String" }];
  if (format.endsWith("WithNames")) return headerOf(db, input, format.replace("WithNames", ""));
  try {
    return await db.rows<Column>(
      `DESCRIBE TABLE file(${literal(input.link)}, ${format})
       SETTINGS input_format_max_rows_to_read_for_schema_inference = 100000`,
    );
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const keys = format === "JSONEachRow" ? await keysOf(db, input) : [];
    if (keys.length === 0) throw unreadable(input.path, error);
    return keys;
  }
}

/** Reads the keys of the lines that are JSON objects, because inference fails at one that is damaged. */
const keysOf = (db: Database, { link }: Input): Promise<Column[]> =>
  db.rows<Column>(
    `SELECT DISTINCT arrayJoin(JSONExtractKeys(line)) AS name, 'String' AS type
     FROM file(${literal(link)}, LineAsString)`,
  );

/** Reads the names in the first line of a table, because inference fails at a later row that is damaged. */
async function headerOf(db: Database, input: Input, format: string): Promise<Column[]> {
  const [header = {}] = await explained(input, () =>
    db.rows<Record<string, unknown>>(
      `SELECT * FROM format(${format}, ${literal(`${input.firstLine}\n`)})
       SETTINGS ${separatedBy(format === "CSV" ? separatorOf(input) : ",")}, input_format_csv_use_best_effort_in_schema_inference = 0, input_format_tsv_use_best_effort_in_schema_inference = 0`,
    ),
  );
  const names = Object.values(header).map((name) => String(name).trim());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const value = names.find((name) => /^[\d.,:\s-]+$|:\/\//.test(name));
  if (value !== undefined) {
    throw new UserError(
      `${input.path}: the first line is no header; it has the value ${JSON.stringify(value)}`,
      'add a line with the names of the columns, or read lines: a SELECT with "-- format: lines"',
    );
  }
  if (twice === undefined) return names.map((name) => ({ name, type: "String" }));
  throw new UserError(
    `${input.path}: the header has the column "${twice}" twice`,
    "rename one of the two columns",
  );
}

async function explained<T>({ path }: Input, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DatabaseError ? unreadable(path, error) : error;
  }
}

export const quoted = (name: string): string => `\`${name.replaceAll(/[\\`]/g, "\\$&")}\``;

/** Bounds the memory of an INSERT: the default holds blocks of 256 MB, several at once. */
export const SMALL_BLOCKS =
  "min_insert_block_size_bytes = 33554432, min_insert_block_size_rows = 0";

/** Reads JSON as text, so that no digit of a number is lost. Rows are numbered only without threads. */
const SETTINGS = [
  ...["objects", "arrays", "numbers", "bools"].map(
    (kind) => `input_format_json_read_${kind}_as_strings = 1`,
  ),
  "input_format_parallel_parsing = 0",
  "max_threads = 1",
  "input_format_allow_errors_num = 1000000000",
  SMALL_BLOCKS,
  "input_format_csv_skip_trailing_empty_lines = 1",
  "input_format_tsv_skip_trailing_empty_lines = 1",
].join(", ");

/**
 * Creates the table `input` with each column of the files as text, where nested values are JSON, and
 * fills it. Rows that the engine cannot read are in `rejected`, with the engine's reason.
 * @returns warnings
 */
export async function readInput(
  db: Database,
  inputs: readonly Input[],
  source: Source,
  onStep: (ratio: number, step: string) => void = () => {},
): Promise<string[]> {
  const warnings: string[] = [];
  const found = new Map<Input, Column[]>();
  for (const input of inputs) found.set(input, await columnsOf(db, input, source));
  const names = new Set([...found.values()].flat().map(({ name }) => name));
  if (names.has("row")) {
    throw new UserError(
      'The files have a column "row", the name of the place of a row',
      "rename the column in the files",
    );
  }
  const wanted = [...source.columns, ...source.optional];
  const columns = [...new Set([...names, ...wanted])].map((name) => `${quoted(name)} String`);
  await db.run(
    `CREATE OR REPLACE TABLE input (row Tuple(file UInt16, number UInt64, content FixedString(16)), ${columns.join(", ")})
     ENGINE = MergeTree ORDER BY tuple()`,
  );
  for (const [index, input] of inputs.entries()) {
    onStep(index / inputs.length, `reading ${input.path}`);
    const format = formatOf(input, source);
    await readFile(db, input, withLateKeys(found.get(input) ?? [], wanted, format), source);
    warnings.push(...(await checkText(db, input, [...names].map(quoted), format)));
  }
  // A source of many versions of a format lists columns that most files lack.
  const missing = isShipped(source) ? [] : wanted.filter((name) => !names.has(name));
  return missing.length === 0 ? warnings : [`no row has ${missing.join(", ")}`, ...warnings];
}

/**
 * Warns of values with line breaks, because a quote that is not closed swallows rows. Half a character that JSON
 * escapes becomes U+FFFD.
 * @throws UserError if the file has another encoding than UTF-8
 */
async function checkText(
  db: Database,
  { path, number, link }: Input,
  names: readonly string[],
  format: string,
): Promise<string[]> {
  const [found] = await db.rows<{ invalid: number; broken: number; lines: number }>(
    `SELECT minIf(number, NOT isValidUTF8(text)) AS invalid, minIf(number, lines_within > 0) AS broken, sum(lines_within) AS lines
     FROM (SELECT row.number AS number, concat('', ${names.join(", ")}) AS text, countSubstrings(text, '\n') AS lines_within
           FROM input WHERE row.file = ${number})`,
  );
  const { invalid = 0, broken, lines = 0 } = found ?? {};
  if (invalid > 0) {
    const [line] = await db.rows(
      `SELECT 1 FROM file(${literal(link)}, LineAsString) WHERE NOT isValidUTF8(line) LIMIT 1`,
    );
    if (line || format !== "JSONEachRow") throw notUtf8(path, "WINDOWS-1252", ` in row ${invalid}`);
    await db.run(
      `ALTER TABLE input UPDATE ${names.map((name) => `${name} = toValidUTF8(${name})`).join(", ")}
       WHERE row.file = ${number} AND NOT isValidUTF8(concat('', ${names.join(", ")})) SETTINGS mutations_sync = 1`,
    );
  }
  if (lines === 0 || format !== "CSVWithNames") return [];
  return [
    `${path}: ${lines} lines are within values, first in row ${broken}; if they are rows, a quote before them is not closed`,
  ];
}

/** Adds the keys of a source, because the engine infers those of JSON from a part of the file. */
function withLateKeys(
  columns: readonly Column[],
  wanted: readonly string[],
  format: string,
): Column[] {
  const late = wanted.filter((name) => !columns.some((column) => column.name === name));
  const added = format === "JSONEachRow" ? late.map((name) => ({ name, type: "String" })) : [];
  return [...columns, ...added];
}

async function readFile(
  db: Database,
  input: Input,
  columns: readonly Column[],
  source: Source,
): Promise<void> {
  const { number, link } = input;
  const format = formatOf(input, source);
  const names = columns.map(({ name }) => quoted(name));
  const isTyped = format === "Parquet";
  const values = columns.map(({ name, type }) => (isTyped ? textOf(name, type) : quoted(name)));
  const structure = isTyped ? "" : `, ${literal(names.map((name) => `${name} String`).join(", "))}`;
  const errors = `${link}.errors`;
  const separator = format.startsWith("CSV") ? separatorOf(input) : ",";
  await explained(input, () =>
    db.run(
      `INSERT INTO input (row, ${names.join(", ")})
       SELECT (${number}, _row_number + 1, sipHash128(${values.join(", ")})), ${values.join(", ")}
       FROM file(${literal(link)}, ${format}${structure})
       SETTINGS ${SETTINGS}, ${separatedBy(separator)}, input_format_tsv_crlf_end_of_line = ${input.isCrlf ? 1 : 0}, input_format_record_errors_file_path = ${literal(errors)}`,
    ),
  );
  if (existsSync(errors)) {
    await db.run(
      `INSERT INTO rejected SELECT ${number}, number, 'unreadable row', multiIf(reason LIKE '%ERROR:%', extract(reason, '(?s)ERROR: (.*)'), reason = '', 'not of the format', reason), content
       FROM file(${literal(errors)}, CSV, 'at String, database String, name String, number UInt64, reason String, content String')
       SETTINGS ${separatedBy(separator)}`,
    );
  }
  await db.run(
    `INSERT INTO file SELECT ${number}, {path:String},
       (SELECT count() FROM input WHERE row.file = ${number}) + (SELECT count() FROM rejected WHERE file = ${number})`,
    { path: input.path },
  );
  rmSync(errors, { force: true });
}

const textOf = (name: string, type: string): string =>
  /^(Array|Tuple|Map|Nested)/.test(type)
    ? `toJSONString(${quoted(name)})`
    : `ifNull(toString(${quoted(name)}), '')`;
