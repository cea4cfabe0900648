import type { Database } from "../../../contract/ports.ts";
import type { Column } from "../../schema/differences.ts";
import { hashOf, inSlice, type RowSet, slicesOf, withPrelude, withSettings } from "./digest.ts";
import type { DeepRow } from "./result.ts";
import type { CheckedTable } from "./tables.ts";

const NAMED_ROWS = 5;

export interface Difference {
  readonly rows: readonly DeepRow[];
  /** Number of differing rows, including those not in `rows`. */
  readonly total: number;
}

interface FoundRow {
  readonly key: string;
  readonly expected: number;
  readonly found: number;
  readonly differing: string[];
  readonly total: number;
  readonly slice: number;
}

/** Finds the rows that differ. Call it after digests, which cost less. */
export async function differingRows(
  db: Database,
  table: CheckedTable,
  columns: readonly Column[],
  expected: RowSet,
  found: RowSet,
  days: readonly string[],
): Promise<Difference> {
  const sql = rowsQuery(table, columns, expected, found);
  const rows: FoundRow[] = [];
  for (const params of slicesOf(expected)) {
    const slice = await db.rows<FoundRow>(sql, { ...params, days });
    rows.push(...slice);
  }
  const totals = rows.map(({ total, slice }): [number, number] => [slice, Number(total)]);
  return {
    total: [...new Map(totals).values()].reduce((sum, total) => sum + total, 0),
    rows: rows.slice(0, NAMED_ROWS).map(({ key, expected, found, differing }) => {
      return { layer: table.layer, table: table.table, key, expected, found, columns: differing };
    }),
  };
}

function rowsQuery(
  table: CheckedTable,
  columns: readonly Column[],
  expected: RowSet,
  found: RowSet,
): string {
  const { key, tolerance } = table;
  const prelude = [expected.prelude, found.prelude].filter((part) => part !== "").join(",\n");
  const names = columns.map(({ name }) => `'${name}'`).join(", ");
  const carried = carriedColumns(table).map(
    ({ name }) =>
      `anyIf(carried_${name}, is_expected) AS expected_${name}, anyIf(carried_${name}, NOT is_expected) AS found_${name}`,
  );
  const tolerated = tolerance.map(({ column, isRight }) => `(name = '${column}' AND (${isRight}))`);
  return `${withPrelude(prelude)}
    SELECT *, toUInt32(count() OVER ()) AS total, {slice:UInt32} AS slice
    FROM
    (
        SELECT
            ${[
              ...key,
              "toUInt32(countIf(is_expected)) AS expected",
              "toUInt32(countIf(NOT is_expected)) AS found",
              `concat(${key.map((name) => `'${name} = ', toString(${name})`).join(", ', ', ")}) AS key`,
              ...carried,
              `if(expected = 1 AND found = 1, arrayFilter(
                (name, one, other) -> one != other AND NOT (${tolerated.join(" OR ") || "false"}),
                [${names}], anyIf(cells, is_expected), anyIf(cells, NOT is_expected)), []) AS differing`,
            ].join(",\n            ")}
        FROM
        (
            ${side(table, columns, expected, true)}
            UNION ALL
            ${side(table, columns, found, false)}
        )
        GROUP BY ${key.join(", ")}
        HAVING expected != 1 OR found != 1 OR notEmpty(differing)
    )
    ORDER BY ${key.join(", ")}
    LIMIT ${NAMED_ROWS}${withSettings(expected)}`;
}

function side(
  table: CheckedTable,
  columns: readonly Column[],
  { from, where }: RowSet,
  isExpected: boolean,
): string {
  const cells = columns.map((column) => hashOf([column])).join(", ");
  const carried = carriedColumns(table).map(({ name, isOnlyExpected }) =>
    isOnlyExpected && !isExpected ? `0 AS carried_${name}` : `${name} AS carried_${name}`,
  );
  return `SELECT ${[...table.key, `${isExpected} AS is_expected`, `[${cells}] AS cells`, ...carried].join(", ")}
            FROM ${from} WHERE ${where} AND ${inSlice(table.key[0] ?? "")} AND has({days:Array(String)}, ${table.day})`;
}

function carriedColumns({ tolerance }: CheckedTable) {
  const reads = tolerance.flatMap((one) => one.reads);
  return [...new Map(reads.map((read) => [read.name, read])).values()];
}
