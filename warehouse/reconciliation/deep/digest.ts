import type { Database, Params } from "../../../contract/ports.ts";
import type { Column } from "../../schema/differences.ts";

export interface Digest {
  readonly rows: number;
  readonly sum: bigint;
  readonly xor: bigint;
}

export interface RowSet {
  readonly from: string;
  readonly where: string;
  readonly prelude: string;
  readonly params: Params;
  /** Number of slices by hash of an id; more slices need less memory. */
  readonly slices?: number;
  readonly settings?: string;
}

export const slicesOf = ({ params, slices = 1 }: RowSet): Params[] =>
  Array.from({ length: slices }, (_, slice) => ({ ...params, slices, slice }));

export const inSlice = (id: string): string =>
  `cityHash64(${id}) % {slices:UInt32} = {slice:UInt32}`;

export const withSettings = ({ settings }: RowSet): string =>
  settings === undefined ? "" : ` SETTINGS ${settings}`;

/** Returns the SQL hash of whole values; NULL differs from every value. */
export const hashOf = (columns: readonly Column[]): string =>
  `cityHash64(tuple(${columns.map(({ name, type }) => `CAST(${name} AS ${type})`).join(", ")}))`;

export const withPrelude = (prelude: string): string => (prelude === "" ? "" : `WITH ${prelude} `);

/** Returns digests by day, one map per table: several tables may read the same rows. */
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
