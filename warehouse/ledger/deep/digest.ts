import type { Database, Params } from "../../../contract/ports.ts";
import type { Column } from "../../schema/compare.ts";

/** Rows and digest of one day. */
export interface Digest {
  readonly rows: number;
  readonly sum: bigint;
  readonly xor: bigint;
}

/** A table as it is found, or the rows that one should hold. */
export interface RowSet {
  /** What follows FROM. */
  readonly from: string;
  /** Condition of the rows that count. */
  readonly where: string;
  /** Common table expressions that `from` reads, without WITH; empty without any. */
  readonly prelude: string;
  readonly params: Params;
  /** How many parts of about equal size the rows are computed in, by hash of an id: it bounds the memory. */
  readonly slices?: number;
  /** Settings of the statement. */
  readonly settings?: string;
}

/** The parameters of each slice in turn. */
export const slicesOf = ({ params, slices = 1 }: RowSet): Params[] =>
  Array.from({ length: slices }, (_, slice) => ({ ...params, slices, slice }));

/** Condition of the rows of one slice. */
export const inSlice = (id: string): string =>
  `cityHash64(${id}) % {slices:UInt32} = {slice:UInt32}`;

/** A SETTINGS clause; nothing without settings. */
export const withSettings = ({ settings }: RowSet): string =>
  settings === undefined ? "" : ` SETTINGS ${settings}`;

/** A hash of whole values: equal values of the declared type, equal hash; NULL differs from all others. */
export const hashOf = (columns: readonly Column[]): string =>
  `cityHash64(tuple(${columns.map(({ name, type }) => `CAST(${name} AS ${type})`).join(", ")}))`;

/** A WITH clause; nothing where there is nothing to name. */
export const withPrelude = (prelude: string): string => (prelude === "" ? "" : `WITH ${prelude} `);

/**
 * Order-independent digests of rows per day: the count, the sum and the exclusive or of row hashes.
 * Several tables may read the same rows; the answer has one map of days for each of them.
 */
export async function digestsOf(
  db: Database,
  set: RowSet,
  day: string,
  tables: readonly { readonly columns: readonly Column[]; readonly where: string }[],
): Promise<Map<string, Digest>[]> {
  const parts = tables.map(({ columns, where }, index) => {
    const hash = hashOf(columns);
    return `toUInt32(countIf(${where})) AS rows_${index},
      toString(sumIf(${hash}, ${where})) AS sum_${index}, toString(groupBitXorIf(${hash}, ${where})) AS xor_${index}`;
  });
  const sql = `${withPrelude(set.prelude)}SELECT ${day} AS line_day, ${parts.join(", ")}
     FROM ${set.from} WHERE ${set.where} GROUP BY line_day ORDER BY line_day${withSettings(set)}`;
  const digests = tables.map(() => new Map<string, Digest>());
  for (const params of slicesOf(set)) {
    for (const row of await db.rows<Record<string, string | number>>(sql, params)) {
      for (const [index, days] of digests.entries()) addDay(days, row, index);
    }
  }
  return digests;
}

function addDay(
  days: Map<string, Digest>,
  row: Readonly<Record<string, string | number>>,
  index: number,
): void {
  const rows = Number(row[`rows_${index}`]);
  if (rows === 0) return;
  const day = String(row.line_day);
  const { rows: before, sum, xor } = days.get(day) ?? { rows: 0, sum: 0n, xor: 0n };
  days.set(day, {
    rows: before + rows,
    sum: BigInt.asUintN(64, sum + BigInt(row[`sum_${index}`] ?? 0)),
    xor: xor ^ BigInt(row[`xor_${index}`] ?? 0),
  });
}
