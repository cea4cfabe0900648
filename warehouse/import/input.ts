import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { literal, readQuery } from "../sql.ts";
import {
  type Column,
  columnsOf,
  damagedObjects,
  formatOf,
  type Input,
  JSON_AS_TEXT,
  notUtf8,
  settingsOf,
  textColumn,
  withFileErrors,
} from "./files.ts";
import { NUMBERED, readLines } from "./lines.ts";
import { isShipped, type Source } from "./source.ts";

export const quoteName = (name: string): string => `\`${name.replaceAll(/[\\`]/g, "\\$&")}\``;

/** Bounds the memory of an INSERT: the default holds blocks of 256 MB, several at once. */
export const SMALL_BLOCKS =
  "min_insert_block_size_bytes = 33554432, min_insert_block_size_rows = 0";

/** Merging costs more than it saves in a table that is read a few times, as in the table `event`. */
const MERGED_SELDOM = "min_parts_to_merge_at_once = 50";

const SETTINGS = `${JSON_AS_TEXT}, ${NUMBERED}, input_format_allow_errors_num = 1000000000, ${SMALL_BLOCKS}`;

/**
 * Creates the table `input` with each column of the files as text, where nested values are JSON, and
 * fills it. Rows that the engine cannot read are in `rejected`, with the engine's reason.
 * @returns warnings
 */
export async function readInput(
  db: Database,
  inputs: readonly Input[],
  source?: Source,
  onStep: (ratio: number, step: string) => void = () => {},
): Promise<string[]> {
  const found = new Map<Input, Column[]>();
  for (const input of inputs) found.set(input, await columnsOf(db, input, source));
  const names = new Set([...found.values()].flat().map(({ name }) => name));
  if (names.has("row")) {
    throw new UserError(
      'The files have a column "row", the name of the place of a row',
      "rename the column in the files",
    );
  }
  const wanted = source ? [...source.columns, ...source.optional] : [];
  const columns = [...new Set([...names, ...wanted])].map((name) => `${quoteName(name)} String`);
  await db.run(
    `CREATE OR REPLACE TABLE input (row Tuple(file UInt16, number UInt64, content FixedString(16)), ${columns.join(", ")})
     ENGINE = MergeTree ORDER BY tuple() SETTINGS ${MERGED_SELDOM}`,
  );
  const warnings: string[] = [];
  // A source of many versions of a format lists columns that most files lack.
  const missing = wanted.filter((name) => !names.has(name));
  if (missing.length > 0 && source && !isShipped(source))
    warnings.push(`no row has ${missing.join(", ")}`);
  for (const [input, inferred] of found) {
    onStep(inputs.indexOf(input) / inputs.length, `reading ${input.path}`);
    const format = formatOf(input, source);
    // The engine infers the keys of JSON from a part of the file.
    const later = format === "JSONEachRow" ? wanted.map(textColumn) : [];
    const all = new Map([...inferred, ...later].map((column) => [column.name, column]));
    const more = await withFileErrors(input.path, () =>
      readFile(db, input, format, [...all.values()], source),
    );
    warnings.push(...more, ...(await checkText(db, input, format)));
  }
  return warnings;
}

async function readFile(
  db: Database,
  input: Input,
  format: string,
  columns: readonly Column[],
  source?: Source,
): Promise<string[]> {
  const lines = await readLines(db, input, format, columns.length);
  const { number } = input;
  const names = columns.map(({ name }) => quoteName(name));
  const structure = columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(", ");
  const values = columns.map(textOf);
  if (lines.format === "TSVRaw") values.push(withoutEnd(values.pop() ?? ""));
  if (lines.format === "LineAsString") values[0] = withoutEnd(withoutMark(names[0] ?? ""));
  // Files may have the same columns in another order, or lack a column that is empty.
  const content = columns.map(
    ({ name }, index) =>
      `if(${values[index]} = '', '', concat(${literal(name)}, '\\0', ${values[index]}, '\\0'))`,
  );
  const errors = `${input.link}.errors`;
  const settings = settingsOf(input, lines.link === input.link);
  await db.run(
    `INSERT INTO input (row, ${names.join(", ")})
     SELECT (${number}, _row_number + 1, sipHash128(concat('', ${content.sort().join(", ")}))), ${values.join(", ")}
     FROM file(${literal(lines.link)}, ${lines.format}, ${literal(structure)})
     SETTINGS ${SETTINGS}, ${settings}, input_format_record_errors_file_path = ${literal(errors)}`,
  );
  if (existsSync(errors)) await addUnreadable(db, input, errors, lines.rows === undefined);
  await recordFile(db, input, lines.rows, source);
  return lines.warning === undefined ? [] : [lines.warning];
}

/** Text without the CR of Windows. */
const withoutEnd = (text: string): string => `trim(TRAILING '\\r' FROM ${text})`;
const withoutMark = (text: string): string =>
  `if(_row_number = 0, replaceRegexpOne(${text}, '^\ufeff', ''), ${text})`;

async function addUnreadable(
  db: Database,
  input: Input,
  errors: string,
  isDocument: boolean,
): Promise<void> {
  const settings = settingsOf({ ...input, header: 0 });
  await db.run(
    `CREATE OR REPLACE VIEW unread AS SELECT number, reason
     FROM file(${literal(errors)}, CSV, 'at String, database String, name String, number UInt64, reason String, content String')`,
  );
  const [first] = await db.rows<{ number: number }>(
    `SELECT number FROM unread LIMIT 1 SETTINGS ${settings}`,
  );
  if (first === undefined) return;
  if (isDocument) throw damagedObjects(input.path, `object ${first.number}`);
  await db.run(`${readQuery("import/unreadable.sql")} SETTINGS ${NUMBERED}, ${settings}`, {
    file: input.number,
  });
}

/** Adds a file to those of the dataset. @throws UserError if its lines have other rows than those read */
async function recordFile(
  db: Database,
  { path, number }: Input,
  rows: number | undefined,
  source?: Source,
): Promise<void> {
  const [file] = await db.rows<{ read: number; unreadable: number }>(
    `SELECT (SELECT count() FROM input WHERE row.file = ${number}) AS read, (SELECT count() FROM rejected WHERE file = ${number}) AS unreadable`,
  );
  const { read = 0, unreadable = 0 } = file ?? {};
  if (rows !== undefined && rows !== read + unreadable) {
    throw new UserError(
      `${path} has ${rows} rows by its lines, but the engine reads ${read + unreadable}`,
      'save the data as JSON lines or Parquet, or read lines: a SELECT with "-- format: lines"',
    );
  }
  await db.run(
    `INSERT INTO file SELECT ${number}, {path:String}, ${read + unreadable}, ${read}, {place:String},
       (SELECT sum(sipHash64(row.number, row.content)) FROM input WHERE row.file = ${number}) + (SELECT sum(sipHash64(number, content)) FROM rejected WHERE file = ${number}),
       sipHash64({select:String})`,
    { path, place: resolve(path), select: source?.select ?? "" },
  );
}

function textOf({ name, type }: Column): string {
  if (type === "String") return quoteName(name);
  return /^(Array|Tuple|Map|Nested)/.test(type)
    ? `toJSONString(${quoteName(name)})`
    : `ifNull(toString(${quoteName(name)}), '')`;
}

/**
 * Warns of values with line breaks, because a quote that is not closed swallows rows.
 * @throws UserError if the file has another encoding than UTF-8
 */
async function checkText(
  db: Database,
  { path, number, link }: Input,
  format: string,
): Promise<string[]> {
  const [found] = await db.rows<{ invalid: number; broken: number; lines: number }>(
    `SELECT minIf(number, NOT isValidUTF8(text)) AS invalid, minIf(number, lines_within > 0) AS broken, sum(lines_within) AS lines
     FROM (SELECT row.number AS number, concat('', * EXCEPT row) AS text, countSubstrings(text, '\n') AS lines_within
           FROM input WHERE row.file = ${number})`,
  );
  const { invalid = 0, broken, lines = 0 } = found ?? {};
  if (invalid > 0) {
    // JSON escapes half a character in valid text; the messages have U+FFFD for it.
    const [line] = await db.rows(
      `SELECT 1 FROM file(${literal(link)}, LineAsString) WHERE NOT isValidUTF8(line) LIMIT 1`,
    );
    if (line || format !== "JSONEachRow") throw notUtf8(path, "WINDOWS-1252", ` in row ${invalid}`);
  }
  if (lines === 0 || format !== "CSV") return [];
  return [
    `${path}: ${lines} lines are within values, first in row ${broken}; if they are rows, a quote before them is not closed`,
  ];
}
