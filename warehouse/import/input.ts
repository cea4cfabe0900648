import { existsSync } from "node:fs";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { literal } from "../sql.ts";
import {
  type Column,
  columnsOf,
  formatOf,
  type Input,
  JSON_AS_TEXT,
  notUtf8,
  settingsOf,
  textColumn,
  withFileErrors,
} from "./files.ts";
import { isShipped, type Source } from "./source.ts";

export const quoteName = (name: string): string => `\`${name.replaceAll(/[\\`]/g, "\\$&")}\``;

/** Bounds the memory of an INSERT: the default holds blocks of 256 MB, several at once. */
export const SMALL_BLOCKS =
  "min_insert_block_size_bytes = 33554432, min_insert_block_size_rows = 0";

/** Rows are numbered only without threads. */
const SETTINGS = [
  JSON_AS_TEXT,
  "input_format_parallel_parsing = 0",
  "max_threads = 1",
  "input_format_allow_errors_num = 1000000000",
  SMALL_BLOCKS,
  // Columns are read by place, so that a name may be empty or have blanks.
  ...["csv", "tsv"].flatMap((format) => [
    `input_format_${format}_detect_header = 0`,
    `input_format_${format}_skip_first_lines = 1`,
    `input_format_${format}_skip_trailing_empty_lines = 1`,
  ]),
].join(", ");

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
     ENGINE = MergeTree ORDER BY tuple()`,
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
    await withFileErrors(input.path, () => readFile(db, input, format, [...all.values()]));
    warnings.push(...(await checkText(db, input, format)));
  }
  return warnings;
}

async function readFile(
  db: Database,
  input: Input,
  format: string,
  columns: readonly Column[],
): Promise<void> {
  const { path, number, link } = input;
  const names = columns.map(({ name }) => quoteName(name));
  const structure = columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(", ");
  const values = columns.map(textOf);
  // Files may have the same columns in another order, or lack a column that is empty.
  const content = columns.map(
    (column) =>
      `if(${textOf(column)} = '', '', concat(${literal(column.name)}, '\\0', ${textOf(column)}, '\\0'))`,
  );
  const errors = `${link}.errors`;
  const settings = settingsOf(input, format);
  await db.run(
    `INSERT INTO input (row, ${names.join(", ")})
     SELECT (${number}, _row_number + 1, sipHash128(concat('', ${content.sort().join(", ")}))), ${values.join(", ")}
     FROM file(${literal(link)}, ${format}, ${literal(structure)})
     SETTINGS ${SETTINGS}, ${settings}, input_format_record_errors_file_path = ${literal(errors)}`,
  );
  if (existsSync(errors)) {
    await db.run(
      `INSERT INTO rejected SELECT ${number}, number, 'unreadable row', multiIf(reason LIKE '%ERROR:%', extract(reason, '(?s)ERROR: (.*)'), reason = '', 'not of the format', reason), content
       FROM file(${literal(errors)}, CSV, 'at String, database String, name String, number UInt64, reason String, content String')
       SETTINGS ${settings}`,
    );
  }
  await db.run(
    `INSERT INTO file SELECT ${number}, {path:String},
       (SELECT count() FROM input WHERE row.file = ${number}) + (SELECT count() FROM rejected WHERE file = ${number})`,
    { path },
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
