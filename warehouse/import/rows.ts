import { basename } from "node:path";
import { pipeline, Readable } from "node:stream";
import { type CsvError, parse } from "csv-parse";
import { UserError } from "../../contract/errors.ts";
import { readLines, readText } from "../../generator/dataset/lines.ts";

/** A row of the file, or the reason why the row cannot be read. */
export interface Row {
  /** Line on which the row begins, counted from 1. */
  readonly line: number;
  /** Row without its line number: equal rows have equal content. */
  readonly content: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly problem?: string;
  /** True for JSON: a row may lack keys. */
  readonly isSparse?: true;
}

export interface ReadOptions {
  readonly delimiter?: string | undefined;
  readonly onBytes?: (count: number) => void;
}

const ENDINGS = /\.(?:(csv|tsv|txt)|(jsonl|ndjson|json))(?:\.gz)?$/i;

/**
 * Reads rows one after another; memory does not depend on the size of the file.
 * @throws UserError if the file is empty, unreadable, or of another format
 */
export async function* readRows(file: string, options: ReadOptions = {}): AsyncGenerator<Row> {
  const [, table, json] = ENDINGS.exec(file) ?? [];
  if (!table && !json) {
    throw new UserError(
      `${file} is of an unknown format. Allowed endings: .csv .tsv .txt .jsonl .ndjson .json, each with or without .gz`,
      "save the data as CSV or JSON lines",
    );
  }
  const delimiter = options.delimiter ?? (table === "tsv" ? "\t" : ",");
  let isEmpty = true;
  for await (const row of json ? jsonRows(file, options) : csvRows(file, delimiter, options)) {
    isEmpty = false;
    yield row;
  }
  if (isEmpty) {
    throw new UserError(
      `${file} has no rows`,
      `look at it (head ${file}), then export the data again`,
    );
  }
}

async function* jsonRows(file: string, { onBytes }: ReadOptions): AsyncGenerator<Row> {
  let line = 0;
  for await (const lines of readLines(file, onBytes)) {
    for (const text of lines) {
      line += 1;
      if (text.trim() !== "") yield { line, isSparse: true, ...parseObject(text.trim()) };
    }
  }
}

function parseObject(content: string): Pick<Row, "content" | "values" | "problem"> {
  try {
    const values: unknown = JSON.parse(content);
    if (typeof values === "object" && values !== null && !Array.isArray(values)) {
      return { content, values: values as Record<string, unknown> };
    }
  } catch {
    // The problem below covers it.
  }
  return { content, values: {}, problem: "the line is not a JSON object" };
}

interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Limit above any row's length: an open quote would otherwise read the whole file as one row. */
const MAX_ROW_CHARACTERS = 4 * 1024 * 1024;

/** Ignores the stream's error, because the parser's reader gets it. */
const thrownByParser = () => {};

async function* csvRows(
  file: string,
  delimiter: string,
  { onBytes }: ReadOptions,
): AsyncGenerator<Row> {
  const parser = parse({
    delimiter,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_ROW_CHARACTERS,
  });
  pipeline(Readable.from(readText(file, onBytes)), parser, thrownByParser);
  let header: readonly string[] | undefined;
  let last = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRecord>) {
      const breaks = record.reduce((sum, value) => sum + value.split("\n").length - 1, 0);
      if (header) yield csvRow(header, record, info.lines - breaks);
      else header = checkedHeader(file, record);
      last = info.lines;
    }
  } catch (error) {
    throw explainCsv(file, last, error);
  }
}

function csvRow(header: readonly string[], record: readonly string[], line: number): Row {
  const row = { line, content: JSON.stringify(record) };
  if (record.length !== header.length) {
    const problem = `${record.length} values, the header has ${header.length} columns`;
    return { ...row, values: {}, problem };
  }
  return { ...row, values: Object.fromEntries(header.map((name, i) => [name, record[i]])) };
}

function checkedHeader(file: string, record: readonly string[]): readonly string[] {
  const header = record.map((name) => name.trim());
  const twice = header.find((name, i) => header.indexOf(name) !== i);
  if (twice === undefined) return header;
  throw new UserError(
    `${file}:1: the header has the column "${twice}" twice`,
    "rename one of the two columns",
  );
}

function explainCsv(file: string, last: number, error: unknown): unknown {
  const { code } = error as CsvError;
  if (code !== "CSV_QUOTE_NOT_CLOSED" && code !== "CSV_MAX_RECORD_SIZE") return error;
  return new UserError(
    `${file}:${last + 1}: a quote is opened and not closed in this row of ${basename(file)}`,
    "close the quote, or double it inside quoted text",
  );
}
