import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { DatabaseError, UserError } from "../../contract/errors.ts";
import { readFailure } from "../../contract/files.ts";
import type { Database } from "../../contract/ports.ts";
import { literal } from "../sql.ts";
import type { Source } from "./source.ts";

const FORMATS: Readonly<Record<string, string>> = {
  csv: "CSV",
  txt: "CSV",
  tsv: "TSV",
  tab: "TSV",
  json: "JSONEachRow",
  jsonl: "JSONEachRow",
  ndjson: "JSONEachRow",
  parquet: "Parquet",
  log: "LineAsString",
};
const ENDING = new RegExp(`\\.(${Object.keys(FORMATS).join("|")})(?:\\.(gz|zst))?$`, "i");

/** A file as the engine reads it. */
export interface InputFile {
  /** As the user names it. */
  readonly path: string;
  /** Number in the data set, counted from 1. */
  readonly number: number;
  readonly link: string;
  /** Call of the table function `file`, without columns. */
  readonly read: (columns?: string) => string;
  readonly format: string;
  readonly settings: string;
  readonly firstLine: string;
}

/** Returns the files of paths, folders and patterns. @throws UserError if there is none */
export function filesOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
    if (!isFolder && !/[*?[]/.test(path)) return [path];
    const found = globSync(isFolder ? join(path, "**/*") : path)
      .filter((file) => statSync(file).isFile() && (!isFolder || ENDING.test(file)))
      .sort();
    if (found.length > 0) return found;
    throw new UserError(`${path}: no file found`, `look for it: ls ${path}`);
  });
}

/**
 * Links a file below the folder under a name without a sign that the engine would replace.
 * @throws UserError if the file is missing, empty, of an unknown ending, or not UTF-8
 */
export function openInput(
  path: string,
  folder: string,
  number: number,
  isLines: boolean,
): InputFile {
  const [, ending = "", compression] = ENDING.exec(path.toLowerCase()) ?? [];
  if (ending === "" && !isLines) {
    throw new UserError(
      `${path} is of an unknown format. Allowed endings: ${Object.keys(FORMATS)
        .map((one) => `.${one}`)
        .join(" ")}, each with or without .gz or .zst`,
      "rename the file, or save the data as CSV, JSON lines or Parquet",
    );
  }
  const packed = compression ?? /\.(gz|zst)$/i.exec(path)?.[1]?.toLowerCase();
  const firstLine = firstLineOf(path, packed);
  const text = isLines ? "LineAsString" : (FORMATS[ending] ?? "");
  const separator = text === "CSV" ? separatorOf(firstLine) : ",";
  const isTable = text === "CSV" || text === "TSV";
  const link = join(folder, `${number}${packed === undefined ? "" : `.${packed}`}`);
  mkdirSync(folder, { recursive: true });
  symlinkSync(resolve(path), link);
  const format = isTable ? `${text}WithNames` : text;
  const columnsOf = (columns?: string) => (columns === undefined ? "" : `, ${literal(columns)}`);
  return {
    path,
    number,
    link,
    read: (columns) => `file(${literal(link)}, ${format}${columnsOf(columns)})`,
    format,
    settings: `format_csv_delimiter = ${literal(separator)}`,
    firstLine,
  };
}

const START = 64 * 1024;

/** Returns the first line, of which a long one is cut. @throws UserError */
function firstLineOf(path: string, packed: string | undefined): string {
  const bytes = Buffer.alloc(START);
  let start: Buffer;
  try {
    const file = openSync(path);
    start = bytes.subarray(0, readSync(file, bytes, 0, START, 0));
    closeSync(file);
    if (packed === "gz") start = gunzipSync(start, { finishFlush: 2 });
    if (packed === "zst") start = zstdDecompressSync(start, { finishFlush: 1 });
  } catch (error) {
    throw readFailure(error, path) ?? unreadable(path, error);
  }
  if (start.length === 0) throw new UserError(`${path} is empty`, "export the data again");
  if (
    /^(\xff\xfe|\xfe\xff)/.test(start.toString("latin1", 0, 2)) ||
    (!path.includes(".parquet") && start.subarray(0, 8).includes(0))
  ) {
    throw new UserError(
      `${path} is UTF-16. Allowed: UTF-8`,
      `convert it: iconv -f UTF-16 -t UTF-8 ${basename(path)} > NEW_FILE`,
    );
  }
  return (
    start
      .toString("utf8")
      .replace(/^\ufeff/, "")
      .split(/\r?\n/, 1)[0] ?? ""
  );
}

/** Returns the most frequent separator of a header. */
function separatorOf(header: string): string {
  const counts = [",", ";", "\t", "|"].map((sign) => ({ sign, count: header.split(sign).length }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).sign;
}

const unreadable = (path: string, error: unknown): UserError =>
  new UserError(
    `${path} cannot be read: ${(error as Error).message.split("\n")[0]?.slice(0, 300)}`,
    "look at the file; save the data as CSV, JSON lines or Parquet",
  );

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Returns the columns of a file as the engine infers them. @throws UserError that names the file */
export async function columnsOf(db: Database, file: InputFile): Promise<Column[]> {
  try {
    return await db.rows<Column>(
      `DESCRIBE TABLE ${file.read()} SETTINGS ${file.settings}, input_format_max_rows_to_read_for_schema_inference = 100000`,
    );
  } catch (error) {
    throw error instanceof DatabaseError ? unreadable(file.path, error) : error;
  }
}

const quoted = (name: string): string => `\`${name.replaceAll(/[\\`]/g, "\\$&")}\``;

/** Reads JSON as text, so that no digit of a number is lost. Rows are numbered only without threads. */
const SETTINGS = [
  ...["objects", "arrays", "numbers", "bools"].map(
    (kind) => `input_format_json_read_${kind}_as_strings = 1`,
  ),
  "input_format_parallel_parsing = 0",
  "max_threads = 1",
  "input_format_allow_errors_num = 1000000000",
].join(", ");

/**
 * Creates the table `input` with each column of the files as text, where nested values are JSON, and
 * fills it. Rows that the engine cannot read are in `unread`, with the engine's reason.
 * @returns columns of a source that no file has
 */
export async function readInput(
  db: Database,
  files: readonly InputFile[],
  { columns, optional }: Source,
): Promise<string[]> {
  const inFiles: Column[][] = [];
  for (const file of files) inFiles.push(await columnsOf(db, file));
  const found = new Set(inFiles.flat().map(({ name }) => name));
  const wanted = [...columns, ...optional];
  const declared = [...new Set([...found, ...wanted])].map((name) => `${quoted(name)} String`);
  await db.run(
    `CREATE OR REPLACE TABLE input (row Tuple(file UInt16, number UInt64, content FixedString(16)), ${declared.join(", ")}) ENGINE = MergeTree ORDER BY tuple()`,
  );
  for (const [index, file] of files.entries()) {
    const own = inFiles[index] ?? [];
    // Inference reads a part of the file, so a key that begins later is named by the source.
    const keys =
      file.format === "JSONEachRow"
        ? wanted.filter((name) => !own.some((one) => one.name === name))
        : [];
    await readFile(db, file, [...own, ...keys.map((name) => ({ name, type: "String" }))]);
  }
  return wanted.filter((name) => !found.has(name));
}

async function readFile(db: Database, file: InputFile, columns: readonly Column[]): Promise<void> {
  const names = columns.map(({ name }) => quoted(name));
  const isTyped = file.format === "Parquet";
  const values = columns.map(({ name, type }) =>
    isTyped ? textOf(quoted(name), type) : quoted(name),
  );
  const structure = isTyped ? undefined : names.map((name) => `${name} String`).join(", ");
  const errors = `${file.link}.errors`;
  try {
    await db.run(
      `INSERT INTO input (row, ${names.join(", ")})
       SELECT (${file.number}, _row_number + 1, sipHash128(${names.join(", ")})), ${values.join(", ")}
       FROM ${file.read(structure)}
       SETTINGS ${SETTINGS}, ${file.settings}, input_format_record_errors_file_path = ${literal(errors)}`,
    );
  } catch (error) {
    throw error instanceof DatabaseError ? unreadable(file.path, error) : error;
  }
  if (!existsSync(errors)) return;
  await db.run(
    `INSERT INTO rejected SELECT ${file.number}, number, 'unreadable row', extract(reason, '(?s)ERROR: (.*)'), content
     FROM file(${literal(errors)}, CSV, 'at String, database String, name String, number UInt64, reason String, content String')`,
  );
}

const textOf = (name: string, type: string): string =>
  /^(Array|Tuple|Map|Nested)/.test(type)
    ? `toJSONString(${name})`
    : `ifNull(toString(${name}), '')`;
