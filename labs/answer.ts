/** Answers of learners: a number, or a statement in a file. */
import { readFileSync } from "node:fs";
import { DatabaseError, UncheckedError } from "../contract/errors.ts";
import { readFailure } from "../contract/files.ts";
import type { ReadableDatabase } from "../contract/ports.ts";
import { columnsOf, type Question } from "./lab.ts";
import { readTable, select, type Table } from "./table.ts";

export type Answer =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "statement"; readonly file: string; readonly sql: string };

/** Parses an answer. @throws UncheckedError for none, an unreadable file, or a number instead of rows */
export function parseAnswer(lab: Question, given: string | undefined): Answer {
  if (given === undefined) {
    throw new UncheckedError(
      `Lab ${lab.number} needs an answer: a file with a SELECT that returns ${columnList(lab)}`,
      `pipeline lab check ${lab.number} answer.sql`,
    );
  }
  if (/^[-+]?(\d+\.?\d*|\.\d+)$/.test(given.trim())) {
    if (lab.answer.kind === "number") return { kind: "number", value: Number(given) };
    throw new UncheckedError(
      `The answer of lab ${lab.number} is a SQL file, not the number ${given}`,
      `write a SELECT with ${columnList(lab)} into a file and name the file`,
    );
  }
  if (/^[-+]?[\d.,]+ ?%?$/.test(given.trim())) {
    throw new UncheckedError(
      `${given} is not a number with a decimal point. Allowed: a number such as 0.25, or a SQL file`,
      `pipeline lab check ${lab.number} ${given.replace(/ ?%/, "").replace(",", ".")}`,
    );
  }
  return { kind: "statement", file: given, sql: readStatement(given) };
}

function readStatement(file: string): string {
  let sql: string;
  try {
    sql = readFileSync(file, "utf8");
  } catch (error) {
    const known = readFailure(error, file);
    if (known === undefined) throw error;
    throw new UncheckedError(`${known.message}. Allowed: a number or a SQL file`, known.hint);
  }
  if (sql.replaceAll(/--.*$/gm, "").trim() !== "") return sql.trim();
  throw new UncheckedError(`${file} has no statement`, "write one SELECT into the file");
}

/** Returns the answer as a table with the lab's columns. @throws UncheckedError if it has none */
export async function tableOf(db: ReadableDatabase, lab: Question, answer: Answer): Promise<Table> {
  if (answer.kind === "number") return { columns: ["answer"], rows: [[answer.value]] };
  return requireColumns(lab, answer.file, await run(db, answer.file, answer.sql));
}

async function run(db: ReadableDatabase, file: string, sql: string): Promise<Table> {
  try {
    return await readTable(db, sql);
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new UncheckedError(`${file} does not return rows`, "write one SELECT without FORMAT");
    }
    if (!(error instanceof DatabaseError)) throw error;
    throw new UncheckedError(
      `The database refused the statement in ${file}: ${error.message}`,
      "correct the statement; docs/reference/tables.md lists tables and columns",
    );
  }
}

/** Requires the lab's columns; drops others. A single number needs no name. */
export function requireColumns(lab: Question, file: string, table: Table): Table {
  const columns = columnsOf(lab);
  if (columns === undefined) return requireNumber(lab, file, table);
  const names = Object.keys(columns);
  const missing = names.filter((name) => !table.columns.includes(name));
  if (missing.length === 0) return select(table, names);
  throw new UncheckedError(
    `${file} returns no column ${missing.join(", ")}. Its columns: ${table.columns.join(", ")}`,
    `return ${columnList(lab)}`,
  );
}

function requireNumber(lab: Question, file: string, table: Table): Table {
  const [row, ...more] = table.rows;
  if (row?.length === 1 && more.length === 0 && typeof row[0] === "number") {
    return { columns: ["answer"], rows: [row] };
  }
  throw new UncheckedError(
    `${file} returns ${table.rows.length} rows of ${table.columns.length} columns`,
    `return ${columnList(lab)}`,
  );
}

const columnList = (lab: Question): string => {
  const columns = columnsOf(lab);
  return columns === undefined ? "one number" : `the columns ${Object.keys(columns).join(", ")}`;
};
