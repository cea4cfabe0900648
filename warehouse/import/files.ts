import { accessSync, constants, globSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { quote } from "../../contract/command-call.ts";
import { DatabaseError, UserError } from "../../contract/errors.ts";
import { readFailure } from "../../contract/files.ts";
import type { Database } from "../../contract/ports.ts";
import { literal } from "../sql.ts";
import { type Source, shippedSources } from "./source.ts";

const FORMATS: Readonly<Record<string, string>> = {
  csv: "CSV",
  txt: "CSV",
  tsv: "TSV",
  tab: "TSV",
  json: "JSONEachRow",
  jsonl: "JSONEachRow",
  ndjson: "JSONEachRow",
  parquet: "Parquet",
};
/** Format and compression of a name; each may be absent. */
const ENDING = new RegExp(`(?:\\.(${Object.keys(FORMATS).join("|")}))?(\\.(?:gz|zst))?$`, "i");

/** A file to read. */
export interface Input {
  /** As the user names it. */
  readonly path: string;
  /** Number in the dataset, counted from 1. */
  readonly number: number;
  /** Engine's name of the format by the ending; absent if the ending is unknown. */
  readonly format?: string | undefined;
  /** Link to the file under a name that holds no pattern, and an ending that the engine knows. */
  readonly link: string;
  /** Line that names the columns, or the first one, with the CR of Windows; empty for JSON and Parquet. */
  readonly firstLine: string;
  /** Lines until the names of the columns; 0 if no line names them. */
  readonly header: number;
  /** Sign between the values of CSV. */
  readonly separator: string;
}

/** Column of a file or of a SELECT, with the engine's type. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

export const textColumn = (name: string): Column => ({ name, type: "String" });

/** Returns the files of paths, folders and patterns. @throws UserError if there is none */
export function filesOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const kind = statSync(path, { throwIfNoEntry: false });
    if (kind?.isFile() || (!kind && !/[*?[]/.test(path))) return [path];
    const pattern = kind?.isDirectory() ? join(path, "**/*") : path;
    const found = globSync(pattern)
      .filter((file) => statSync(file).isFile() && !isHidden(file, pattern))
      .sort();
    if (found.length > 0) return found;
    throw new UserError(`${path}: no file found`, `look for it: ls ${path}`);
  });
}

/** Spark and others write files and folders beside their data whose names begin with _ or a point, such as _SUCCESS. */
function isHidden(file: string, pattern: string): boolean {
  const parts = pattern.split("/");
  const isNamed = (sign: string): boolean =>
    parts.some((part) => part.startsWith(sign) && !/^[.]+$/.test(part));
  const found = file.split("/").slice(parts.findIndex((part) => /[*?[]/.test(part)));
  return found.some((part) => /^[_.]/.test(part) && !isNamed(part.charAt(0)));
}

/** Returns the name of a file without the endings of its format. */
export const nameOf = (path: string): string => basename(path).replace(ENDING, "");

/** Returns the engine's name of a file's format. @throws UserError for an unknown ending */
export function formatOf({ path, format }: Input, source?: Source): string {
  if (source?.format === "lines") return "LineAsString";
  if (format !== undefined) return format;
  const endings = Object.keys(FORMATS).map((one) => `.${one}`);
  throw new UserError(
    `${path} is of an unknown format. Allowed endings: ${endings.join(" ")}, each also with .gz or .zst`,
    'rename the file; a SELECT with "-- format: lines" reads any text',
  );
}

/** Folder of the links to files, in the workspace. */
export const linksOf = ({ directory = "" }: Database): string => join(directory, "links");

/** Opens a file. @throws UserError if it is missing, empty or not UTF-8 */
export async function openInput(db: Database, path: string, number: number): Promise<Input> {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw readFailure(error, path) ?? error;
  }
  const [, ending = "", packing = ""] = ENDING.exec(path.toLowerCase()) ?? [];
  const format = FORMATS[ending];
  const link = join(linksOf(db), `${number}${packing}`);
  mkdirSync(linksOf(db), { recursive: true });
  symlinkSync(resolve(path), link);
  const hasLines = format !== "JSONEachRow" && format !== "Parquet";
  const [firstLine = "", secondLine = ""] = hasLines ? await firstLinesOf(db, path, link) : [];
  // Excel writes the separator into the first line.
  const separator = format === "CSV" ? /^sep=(.)\r?$/i.exec(firstLine)?.[1] : undefined;
  return {
    path,
    number,
    format,
    link,
    firstLine: separator === undefined ? firstLine : secondLine,
    header: hasLines ? (separator === undefined ? 1 : 2) : 0,
    separator: separator ?? separatorOf(firstLine),
  };
}

/** Returns the most frequent sign of a line that may separate values. */
const separatorOf = (line: string): string => {
  const count = (sign: string): number => line.split(sign).length;
  return [",", ";", "\t", "|"].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
};

async function firstLinesOf(db: Database, path: string, link: string): Promise<string[]> {
  const [start, second] = await withFileErrors(path, () =>
    db.rows<{ line: string; packing: string; is_binary: boolean }>(
      `SELECT toValidUTF8(replaceRegexpOne(line, '^\ufeff', '')) AS line, position(file.line, '\\0') > 0 AS is_binary,
         multiIf(startsWith(file.line, '\\x1f\\x8b'), 'gz', startsWith(file.line, '\\x28\\xb5\\x2f\\xfd'), 'zst', startsWith(file.line, 'PK\\x03\\x04'), 'zip', '') AS packing
       FROM file(${literal(link)}, LineAsString) AS file LIMIT 2`,
    ),
  );
  const { line = "", packing = "", is_binary = false } = start ?? {};
  if (packing !== "") {
    throw new UserError(
      `${path} is compressed with ${packing}`,
      packing === "zip"
        ? `unpack it: unzip ${quote(path)}`
        : `rename it: ${quote(`${path}.${packing}`)}`,
    );
  }
  if (is_binary) throw notUtf8(path, "UTF-16", "");
  if (line.trim() === "") throw new UserError(`${path} is empty`, "export the data again");
  if (!/\r./.test(line)) return [line, second?.line ?? ""];
  throw new UserError(
    `${path}: its lines end with CR alone`,
    `convert it: tr '\\r' '\\n' < ${quote(path)} > NEW_FILE`,
  );
}

/** Runs work on a file. @throws UserError with the engine's reason */
export async function withFileErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new UserError(
      `${path} cannot be read: ${error.message.split("\n")[0]?.slice(0, 300)}`,
      "look at the file; save the data as CSV, JSON lines or Parquet",
    );
  }
}

export const damagedObjects = (path: string, reason: string): UserError =>
  new UserError(
    `${path} cannot be read as JSON: ${reason}`,
    `correct it, or write one object per line, which can be read singly: jq -c '.[]?' ${quote(path)} > NEW_FILE`,
  );

export const notUtf8 = (path: string, encoding: string, place: string): UserError =>
  new UserError(
    `${path} is not UTF-8${place}`,
    `convert it: iconv -f ${encoding} -t UTF-8 ${quote(path)} > NEW_FILE`,
  );

/** Returns the settings for a file's separator, its header and its ends. @param emptyEnd whether empty lines at the end are no rows */
export const settingsOf = ({ separator, header }: Input, emptyEnd = true): string =>
  [
    `format_csv_delimiter = ${literal(separator)}`,
    // A tab is trimmed as a blank otherwise.
    `input_format_csv_allow_whitespace_or_tab_as_delimiter = ${separator === "\t" ? 1 : 0}`,
    "input_format_tsv_crlf_end_of_line = 1",
    // Columns are read by place, so that a name may be empty or have blanks.
    ...["csv", "tsv"].flatMap((format) => [
      `input_format_${format}_detect_header = 0`,
      `input_format_${format}_skip_first_lines = ${header}`,
      `input_format_${format}_skip_trailing_empty_lines = ${emptyEnd ? 1 : 0}`,
    ]),
  ].join(", ");

/** Returns the columns of a file; those of text have no other type. @throws UserError that names the file */
export async function columnsOf(db: Database, input: Input, source?: Source): Promise<Column[]> {
  const format = formatOf(input, source);
  if (format === "LineAsString") return [textColumn("line")];
  return withFileErrors(input.path, () => {
    if (format === "Parquet") return describe(db, input, format);
    return format === "JSONEachRow" ? keysOf(db, input, format) : headerOf(db, input, format);
  });
}

/** Reads JSON as text, so that no digit of a number is lost. */
export const JSON_AS_TEXT = [
  ...["objects", "arrays", "numbers", "bools"].map(
    (kind) => `input_format_json_read_${kind}_as_strings = 1`,
  ),
  "input_format_json_try_infer_named_tuples_from_objects = 0",
].join(", ");

const describe = (db: Database, { link }: Input, format: string): Promise<Column[]> =>
  db.rows<Column>(
    `DESCRIBE TABLE file(${literal(link)}, ${format})
     SETTINGS ${JSON_AS_TEXT}, input_format_max_rows_to_read_for_schema_inference = 100000`,
  );

async function keysOf(db: Database, input: Input, format: string): Promise<Column[]> {
  try {
    const columns = await describe(db, input, format);
    return columns.map(({ name }) => textColumn(name));
  } catch (error) {
    // Inference fails at a line that is damaged, and at an integer above 64 bits; the keys are known all the same.
    const keys = await db.rows<Column>(
      `SELECT DISTINCT arrayJoin(JSONExtractKeys(replaceRegexpAll(replaceRegexpAll(json_object_of(line), '[\\x00-\\x1f]', ' '), '[0-9]{19,}', '0'))) AS name, 'String' AS type
       FROM file(${literal(input.link)}, LineAsString)`,
    );
    if (keys.length > 0 || !(error instanceof DatabaseError)) return keys;
    throw damagedObjects(input.path, error.message.split("\n")[0]?.slice(0, 300) ?? "");
  }
}

/** Reads the names in the first line of a table, because inference fails at a later row that is damaged. */
async function headerOf(db: Database, input: Input, format: string): Promise<Column[]> {
  const { path, firstLine } = input;
  const [header = {}] = await db.rows<Record<string, unknown>>(
    `SELECT * FROM format(${format}, ${literal(`${firstLine}\n`)})
     SETTINGS ${settingsOf({ ...input, header: 0 })}, input_format_csv_use_best_effort_in_schema_inference = 0, input_format_tsv_use_best_effort_in_schema_inference = 0`,
  );
  const names = Object.values(header).map(
    (name, index) => String(name ?? "").trim() || `column ${index + 1}`,
  );
  const value = names.find((name) => /^#|^[\d.,:\s-]+$|:\/\//.test(name));
  if (value !== undefined) {
    throw new UserError(
      `${path}: the first line is not a header; it has the value ${JSON.stringify(value)}`,
      'add a line with the names of the columns, or read lines: a SELECT with "-- format: lines"',
    );
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return names.map(textColumn);
  throw new UserError(
    `${path}: the header has the column "${twice}" twice`,
    "rename one of the two columns",
  );
}

/** Returns the source whose first line, or else the most of whose columns, a file has. */
export async function recognise(db: Database, input: Input): Promise<Source | undefined> {
  const sources = shippedSources();
  const ofLines = sources.find(
    ({ first_line: pattern }) => pattern && new RegExp(pattern).test(input.firstLine),
  );
  if (ofLines) return ofLines;
  const names = (await columnsOf(db, input)).map(({ name }) => name);
  return sources
    .filter(({ columns }) => columns.length > 0 && columns.every((one) => names.includes(one)))
    .sort((a, b) => b.columns.length - a.columns.length)[0];
}
