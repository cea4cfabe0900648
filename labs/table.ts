/** Results of statements, and when two of them are equal. */
import type { ReadableDatabase } from "../contract/ports.ts";

type Cell = string | number | boolean | null;
type Row = readonly Cell[];

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** Runs a statement that only reads. @throws SyntaxError if the statement sets a FORMAT */
export async function readTable(db: ReadableDatabase, sql: string): Promise<Table> {
  const { meta, data } = JSON.parse((await db.read(sql, "JSONCompact")).toString()) as {
    readonly meta?: readonly { readonly name: string }[];
    readonly data: readonly Row[];
  };
  if (meta === undefined) throw new SyntaxError("The result is not in the format JSONCompact");
  return { columns: meta.map(({ name }) => name), rows: data };
}

/** Returns the columns with these names, in this order. */
export function select(table: Table, names: readonly string[]): Table {
  const at = names.map((name) => table.columns.indexOf(name));
  return { columns: names, rows: table.rows.map((row) => at.map((index) => row[index] ?? null)) };
}

/** Returns how two tables with the same columns differ, without regard to order; else undefined. */
export function differenceOf(given: Table, expected: Table, decimals: number): string | undefined {
  if (given.rows.length !== expected.rows.length) {
    return `${given.rows.length} rows instead of ${expected.rows.length}`;
  }
  const [one, other] = [sorted(given), sorted(expected)];
  const differing = one.filter((row, index) => !isEqual(row, other[index] ?? [], decimals));
  if (differing.length === 0) return undefined;
  return `${differing.length} of ${one.length} rows ${differing.length === 1 ? "differs" : "differ"}`;
}

/** Sorts by the cells that are no numbers, because numbers may differ by a rounding. */
function sorted({ rows }: Table): Row[] {
  const keyOf = (row: Row): string =>
    JSON.stringify(row.map((cell) => (typeof cell === "number" ? 0 : cell)));
  const compare = (a: Row, b: Row): number => {
    const [one, other] = [keyOf(a), keyOf(b)];
    if (one !== other) return one < other ? -1 : 1;
    const index = a.findIndex((cell, column) => cell !== b[column]);
    return index < 0 ? 0 : Number(a[index]) - Number(b[index]);
  };
  return rows.toSorted(compare);
}

const isEqual = (one: Row, other: Row, decimals: number): boolean =>
  one.every((cell, column) => isEqualCell(cell, other[column] ?? null, decimals));

/** Floating-point sums in another order differ by less. */
const EPSILON = 1e-9;

function isEqualCell(one: Cell, other: Cell, decimals: number): boolean {
  if (typeof one !== "number" || typeof other !== "number") return one === other;
  return Math.abs(one - other) <= 0.5 * 10 ** -decimals + EPSILON;
}
