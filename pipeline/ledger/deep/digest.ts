import type { Database, Params } from "../../../contract/ports.ts";
import { readDeclared } from "../../schema/compare.ts";

/** Rows and digest of one day. */
export interface Digest {
  readonly rows: number;
  readonly digest: string;
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
}

export interface Column {
  readonly name: string;
  readonly type: string;
}

/** Columns of a table as `sql/schema.json` declares them. */
export function columnsOf(table: string): Column[] {
  const declared = readDeclared().find(({ object }) => object === table);
  if (!declared) throw new Error(`${table} is not in sql/schema.json`);
  return declared.columns.map((column) => {
    const [name = "", ...rest] = column.split(" ");
    const type = rest.join(" ").replace(/ (DEFAULT|CODEC) ?.*$/, "");
    return { name, type };
  });
}

/** A hash of whole values: equal values of the declared type, equal hash; NULL differs from all others. */
export const hashOf = (columns: readonly Column[]): string =>
  `cityHash64(tuple(${columns.map(({ name, type }) => `CAST(${name} AS ${type})`).join(", ")}))`;

/** Days without WITH when there is nothing to name. */
export const withPrelude = (prelude: string): string => (prelude === "" ? "" : `WITH ${prelude} `);

/**
 * Order-independent digests of rows per day: the count, the sum and the exclusive or of row hashes.
 * Several tables may read the same rows; the answer has one map of days for each of them.
 */
export async function digestsOf(
  db: Database,
  { from, where, prelude, params }: RowSet,
  day: string,
  tables: readonly { readonly columns: readonly Column[]; readonly where: string }[],
): Promise<Map<string, Digest>[]> {
  const parts = tables.map(({ columns, where }, index) => {
    const hash = hashOf(columns);
    return `toUInt32(countIf(${where})) AS rows_${index},
      concat(toString(sumIf(${hash}, ${where})), ' ', toString(groupBitXorIf(${hash}, ${where}))) AS digest_${index}`;
  });
  const rows = await db.rows<Record<string, string | number>>(
    `${withPrelude(prelude)}SELECT ${day} AS line_day, ${parts.join(", ")}
     FROM ${from} WHERE ${where} GROUP BY line_day ORDER BY line_day`,
    params,
  );
  return tables.map((_, index) => {
    const days = rows.map((row): [string, Digest] => [
      String(row.line_day),
      { rows: Number(row[`rows_${index}`]), digest: String(row[`digest_${index}`]) },
    ]);
    return new Map(days.filter(([, { rows }]) => rows > 0));
  });
}
