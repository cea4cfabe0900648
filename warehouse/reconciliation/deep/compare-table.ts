import type { Database, Params } from "../../../contract/ports.ts";
import type { Column } from "../../declared.ts";
import type { DeepLine, DeepRow, DerivedLayer } from "./result.ts";

type Compared = Pick<Column, "name" | "type">;

/** A stored table, and a query that gives the rows that it should have. */
export interface Expectation {
  readonly layer: DerivedLayer;
  readonly table: string;
  readonly stream: DeepLine["stream"];
  readonly key: readonly string[];
  /** Columns to compare. */
  readonly columns: readonly Compared[];
  /** Model day of `one_row`, as an SQL expression. */
  readonly day: string;
  readonly slices: readonly Slice[];
  readonly params?: Params;
}

/** Rows of a table that are compared in one query. */
interface Slice {
  /** SELECT without a semicolon, as `stored`. */
  readonly expected: string;
  readonly stored: string;
  readonly settings?: string;
}

interface Digest {
  readonly day: string;
  readonly rows: number;
  readonly sum: string;
}

export interface Comparison {
  readonly lines: readonly DeepLine[];
  readonly rows: readonly DeepRow[];
}

const NAMED_ROWS = 5;

/** Compares a table with its expectation: digests by day, then the rows of the days that differ. */
export async function compareTable(db: Database, one: Expectation): Promise<Comparison> {
  const { layer, table, stream } = one;
  const wanted = await digestsOf(db, one, ({ expected }) => expected);
  const held = await digestsOf(db, one, ({ stored }) => stored);
  const days = [...new Set([...wanted.keys(), ...held.keys()])].sort();
  const lines = days.map((day): DeepLine => {
    const [expected, found] = [wanted.get(day), held.get(day)];
    const isEqual = expected?.rows === found?.rows && expected?.sum === found?.sum;
    const counts = { expected: expected?.rows ?? 0, found: found?.rows ?? 0 };
    return { layer, table, stream, day, ...counts, isEqual };
  });
  const differing = lines.filter(({ isEqual }) => !isEqual).map(({ day }) => day);
  if (differing.length === 0) return { lines, rows: [] };
  const rows: DeepRow[] = [];
  for (const slice of one.slices) rows.push(...(await differingRows(db, one, slice, differing)));
  // Only tolerated values differ.
  if (rows.length === 0) return { lines: lines.map((line) => ({ ...line, isEqual: true })), rows };
  return { lines, rows: rows.slice(0, NAMED_ROWS) };
}

async function digestsOf(
  db: Database,
  one: Expectation,
  rowsOf: (slice: Slice) => string,
): Promise<Map<string, Digest>> {
  const total = new Map<string, Digest>();
  for (const slice of one.slices) {
    const digests = await db.rows<Digest>(
      `SELECT ${one.day} AS day, toUInt32(count()) AS rows,
         toString(sum(cityHash64(${one.columns.map(cell).join(", ")}))) AS sum
       FROM (${rowsOf(slice)}) AS one_row GROUP BY ${one.day}${settingsOf(slice)}`,
      one.params,
    );
    for (const { day, rows, sum } of digests) {
      const before = total.get(day) ?? { day, rows: 0, sum: "0" };
      const added = BigInt.asUintN(64, BigInt(before.sum) + BigInt(sum)).toString();
      total.set(day, { day, rows: before.rows + rows, sum: added });
    }
  }
  return total;
}

const settingsOf = ({ settings }: Slice): string =>
  settings === undefined ? "" : ` SETTINGS ${settings}`;

/** Hash of one value of the declared type; NULL differs from every value. */
const cell = ({ name, type }: Compared): string =>
  `cityHash64(tuple(CAST(${column(name)} AS ${type})))`;

/** A column, whose name may be that of a result. */
const column = (name: string): string => `one_row.${name}`;

interface FoundRow {
  readonly key: string;
  readonly expected: number;
  readonly found: number;
  readonly columns: string[];
}

/** ods keeps the first time of a message that was delivered again after its load. */
const TOLERATED = "name = 'ingested_at' AND is_redelivered";

async function differingRows(
  db: Database,
  one: Expectation,
  slice: Slice,
  days: readonly string[],
): Promise<DeepRow[]> {
  const { layer, table, key, columns } = one;
  const isMessage = layer === "ods";
  const side = (rows: string, isExpected: boolean) =>
    `SELECT tuple(${key.map(column).join(", ")}) AS place, ${isExpected} AS is_expected,
       ${isMessage && isExpected ? column("is_redelivered") : "false"} AS is_redelivered_now,
       [${columns.map(cell).join(", ")}] AS cells
     FROM (${rows}) AS one_row WHERE has({days:Array(String)}, ${one.day})`;
  const found = await db.rows<FoundRow>(
    `SELECT
       concat(${key.map((name, at) => `'${name} = ', toString(place.${at + 1})`).join(", ', ', ")}) AS key,
       toUInt32(countIf(is_expected)) AS expected, toUInt32(countIf(NOT is_expected)) AS found,
       max(is_redelivered_now) AS is_redelivered,
       if(expected = 1 AND found = 1, arrayFilter(
         (name, right, stored) -> right != stored AND NOT (${TOLERATED}),
         [${columns.map(({ name }) => `'${name}'`).join(", ")}],
         anyIf(cells, is_expected), anyIf(cells, NOT is_expected)), []) AS columns
     FROM (${side(slice.expected, true)} UNION ALL ${side(slice.stored, false)})
     GROUP BY place
     HAVING expected != 1 OR found != 1 OR notEmpty(columns)
     ORDER BY place LIMIT ${NAMED_ROWS}${settingsOf(slice)}`,
    { ...one.params, days },
  );
  return found.map(({ key: named, expected, found: held, columns: names }) => ({
    ...{ layer, table, key: named, expected, found: held, columns: names },
  }));
}
