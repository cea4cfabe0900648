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

/** How far two cells of a column may be apart and still be equal. */
interface Tolerance {
  /** Numbers may differ by half of the last of these decimals. */
  readonly decimals: number;
  /** Times may differ by so many minutes, by column. */
  readonly minutes?: Readonly<Record<string, number>> | undefined;
}

/** Returns how two tables with the same columns differ, without regard to order; else undefined. */
export function differenceOf(given: Table, expected: Table, within: Tolerance): string | undefined {
  const limits = given.columns.map((name) => within.minutes?.[name]);
  const isEqual = (one: Row, other: Row): boolean =>
    one.every((cell, column) =>
      isEqualCell(cell, other[column] ?? null, within.decimals, limits[column]),
    );
  const [one, other] = [sorted(given), sorted(expected)];
  if (one.length !== other.length) {
    const surplus = one.filter((row) => !other.some((wanted) => isEqual(row, wanted)));
    return `${one.length} rows instead of ${other.length}${listed(given.columns, surplus)}`;
  }
  const differing = one.filter((row, index) => !isEqual(row, other[index] ?? []));
  if (differing.length === 0) return undefined;
  const verb = differing.length === 1 ? "differs" : "differ";
  return `${differing.length} of ${one.length} rows ${verb}${listed(given.columns, differing)}`;
}

const SHOWN = 3;

/** Lists the first of the rows, such as `: day = 2026-01-05, sessions = 812`. */
function listed(columns: readonly string[], rows: readonly Row[]): string {
  const texts = rows
    .slice(0, SHOWN)
    .map((row) => row.map((cell, column) => `${columns[column]} = ${cell}`).join(", "));
  return texts.length === 0 ? "" : `: ${texts.join("; ")}`;
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

/** Floating-point sums in another order differ by less. */
const EPSILON = 1e-9;

function isEqualCell(one: Cell, other: Cell, decimals: number, minutes?: number): boolean {
  if (minutes !== undefined) return Math.abs(minuteOf(one) - minuteOf(other)) <= minutes;
  if (typeof one !== "number" || typeof other !== "number") return one === other;
  return Math.abs(one - other) <= 0.5 * 10 ** -decimals + EPSILON;
}

/** Returns the minutes since 1970 of a UTC time as ClickHouse prints it; NaN for anything else. */
const minuteOf = (cell: Cell): number => Date.parse(`${cell}Z`) / 60_000;
