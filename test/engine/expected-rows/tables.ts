import type { Database, ReadableDatabase } from "../../../contract/ports.ts";
import { normalise, type TextTable, toTsv } from "./notation.ts";

/** Rows in the notation of the fixtures. */
export type Rows = readonly (readonly string[])[];

/** Inserts rows; `defaults` are cells of columns that they do not name. */
export async function insertRows(
  db: Database,
  table: string,
  { columns, rows }: TextTable,
  defaults: Readonly<Record<string, string>> = {},
): Promise<void> {
  const fixed = Object.entries(defaults).filter(([column]) => !columns.includes(column));
  const names = [...columns, ...fixed.map(([column]) => column)];
  const lines = rows.map((row) => {
    const cells = [...row, ...fixed.map(([, cell]) => cell)];
    return `${cells.map((cell, place) => toTsv(names[place] ?? "", cell)).join("\t")}\n`;
  });
  // Each message has its own insert, because the engine drops replaced rows within one insert.
  const inserts = table.startsWith("stg.") ? lines : [lines.join("")];
  await db.insertTsv(
    table,
    names,
    (async function* () {
      yield* inserts.filter((text) => text !== "").map((text) => Buffer.from(text));
    })(),
  );
}

/**
 * The named columns of a query's rows, in its order.
 * @throws Error for a column that the query lacks
 */
export async function readRows(
  db: ReadableDatabase,
  sql: string,
  params: Record<string, unknown>,
  columns: readonly string[],
): Promise<Rows> {
  const result = await db.read(sql, "TSVWithNames", params);
  const [header = "", ...lines] = result.toString().replace(/\n$/, "").split("\n");
  const places = columns.map((column) => {
    const place = header.split("\t").indexOf(column);
    if (place < 0) throw new Error(`there is no column ${column} among ${header.split("\t")}`);
    return place;
  });
  return lines
    .map((line) => line.split("\t"))
    .map((values) => places.map((place) => normalise(values[place] ?? "")));
}

/** Sorts by the first column, then by the next ones. */
export const sorted = (rows: Rows): Rows =>
  rows.toSorted((a, b) => (a.join("\t") < b.join("\t") ? -1 : 1));
