import type { Database } from "../../../contract/ports.ts";
import { type Column, columnsOf } from "../../schema/differences.ts";
import { type Digest, digestsOf, type RowSet } from "./digest.ts";
import type { DeepLine, DeepRow } from "./result.ts";
import { type Difference, differingRows } from "./rows.ts";
import { type CheckedTable, nameOf } from "./tables.ts";

export interface Comparison {
  readonly lines: readonly DeepLine[];
  readonly rows: readonly DeepRow[];
}

export interface Expectation {
  readonly table: CheckedTable;
  readonly where: string;
  readonly found: RowSet;
  readonly columns?: readonly Column[];
}

export async function compare(
  db: Database,
  expected: RowSet,
  tables: readonly [Expectation, ...Expectation[]],
): Promise<Comparison> {
  const wanted = tables.map((one) => ({ columns: columnsFor(one), where: one.where }));
  const digests = await digestsOf(db, expected, tables[0].table.day, wanted);
  const comparisons: Comparison[] = [];
  for (const [index, one] of tables.entries()) {
    const rows = { ...expected, where: `${expected.where} AND ${one.where}` };
    comparisons.push(await compareTable(db, one, rows, digests[index] ?? new Map()));
  }
  return {
    lines: comparisons.flatMap(({ lines }) => lines),
    rows: comparisons.flatMap(({ rows }) => rows),
  };
}

const columnsFor = ({ table, columns }: Expectation): readonly Column[] =>
  columns ?? columnsOf(nameOf(table));

async function compareTable(
  db: Database,
  expectation: Expectation,
  expected: RowSet,
  wanted: Map<string, Digest>,
): Promise<Comparison> {
  const { table, found } = expectation;
  const columns = columnsFor(expectation);
  const whole = [{ columns, where: "true" }];
  const [held = new Map<string, Digest>()] = await digestsOf(db, found, table.day, whole);
  const days = [...new Set([...wanted.keys(), ...held.keys()])].sort();
  const lines = days.map((day) => lineOf(table, day, wanted.get(day), held.get(day)));
  const differing = lines.filter(({ isEqual }) => !isEqual).map(({ day }) => day);
  if (differing.length === 0) return { lines, rows: [] };
  const difference = await differingRows(db, table, columns, expected, found, differing);
  return { lines: judge(lines, difference), rows: difference.rows };
}

const judge = (lines: readonly DeepLine[], { total }: Difference): readonly DeepLine[] =>
  total > 0 ? lines : lines.map((line) => ({ ...line, isEqual: true }));

function lineOf(
  { layer, table, stream }: CheckedTable,
  day: string,
  expected: Digest | undefined,
  found: Digest | undefined,
): DeepLine {
  const isEqual =
    expected?.rows === found?.rows && expected?.sum === found?.sum && expected?.xor === found?.xor;
  const counts = { expected: expected?.rows ?? 0, found: found?.rows ?? 0 };
  return { layer, table, stream, day, ...counts, isEqual };
}
