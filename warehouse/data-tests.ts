import { type ColumnTests, DATA_TESTS, type Tested } from "../contract/data-tests.ts";
import type { Database, Params } from "../contract/ports.ts";
import { renderTable } from "../terminal/format.ts";

type TestKind = keyof ColumnTests;

/** A declared test as a condition that its failing rows fulfil. */
export interface DataTest {
  /** Name such as `unique dds.event.event_id`. */
  readonly name: string;
  readonly kind: TestKind;
  readonly table: Tested;
  readonly column: string;
  readonly condition: string;
  readonly params: Params;
}

export interface DataTestResult extends Pick<DataTest, "name" | "kind" | "table" | "column"> {
  /** Number of rows that fail. */
  readonly failures: number;
  /** Some failing rows; absent if none were requested. */
  readonly sample?: readonly Readonly<Record<string, unknown>>[];
}

export const dataTests = (): DataTest[] =>
  Object.entries(DATA_TESTS).flatMap(([table, columns]) =>
    Object.entries(columns).flatMap(([column, tests]) => testsOf(table as Tested, column, tests)),
  );

function testsOf(table: Tested, column: string, tests: ColumnTests): DataTest[] {
  const test = (kind: TestKind, condition: string, params: Params = {}, target = ""): DataTest => ({
    name: `${kind} ${table}.${column}${target}`,
    kind,
    table,
    column,
    condition,
    params,
  });
  const { unique, not_null, accepted_values: accepted, relationships: related } = tests;
  return [
    ...(unique ? [test("unique", repeated(table, column))] : []),
    ...(not_null ? [test("not_null", absent(column))] : []),
    ...(accepted
      ? [test("accepted_values", foreign(column, accepted), { values: [...accepted.values] })]
      : []),
    ...(related
      ? [
          test(
            "relationships",
            `${column} NOT IN (SELECT ${related.field} FROM ${related.to})`,
            {},
            ` to ${related.to}.${related.field}`,
          ),
        ]
      : []),
  ];
}

const repeated = (table: Tested, column: string): string =>
  `${column} IN (SELECT ${column} FROM ${table} GROUP BY ${column} HAVING count() > 1)`;

const absent = (column: string): string =>
  `isNull(${column}) OR assumeNotNull(${column}) = defaultValueOfArgumentType(assumeNotNull(${column}))`;

/** Flattening turns a single value into an array, and leaves an array as it is. */
const foreign = (
  column: string,
  { where = "1" }: NonNullable<ColumnTests["accepted_values"]>,
): string =>
  `${where} AND arrayExists(value -> value NOT IN {values:Array(String)}, arrayFlatten([${column}]))`;

/** Runs every test. @param samples largest number of failing rows to return per test */
export async function runDataTests(db: Database, samples = 0): Promise<DataTestResult[]> {
  const results: DataTestResult[] = [];
  for (const test of dataTests()) results.push(await runDataTest(db, test, samples));
  return results;
}

async function runDataTest(
  db: Database,
  { name, kind, table, column, condition, params }: DataTest,
  samples: number,
): Promise<DataTestResult> {
  const [row] = await db.rows<{ failures: number }>(
    `SELECT count() AS failures FROM ${table} WHERE ${condition}`,
    params,
  );
  const result = { name, kind, table, column, failures: row?.failures ?? 0 };
  if (samples === 0 || result.failures === 0) return result;
  const columns = Object.keys(DATA_TESTS[table] ?? {}).join(", ");
  const sample = await db.rows<Record<string, unknown>>(
    `SELECT ${columns} FROM ${table} WHERE ${condition} ORDER BY ${column} LIMIT ${samples}`,
    params,
  );
  return { ...result, sample };
}

/** Renders one line per test, with the failing rows below it, and a summary, like dbt. */
export function renderDataTests(results: readonly DataTestResult[]): string {
  const statuses = results.map(({ failures }) => (failures === 0 ? "PASS" : `FAIL ${failures}`));
  const width = Math.max(...statuses.map(({ length }) => length));
  const lines = results.flatMap((result, index) => [
    `${(statuses[index] ?? "").padEnd(width)}  ${result.name}`,
    ...(result.sample ? [sampleTable(result.sample)] : []),
  ]);
  const failed = failedTests(results).length;
  const summary = `PASS=${results.length - failed} FAIL=${failed} TOTAL=${results.length}`;
  return [...lines, "", summary].join("\n");
}

export const failedTests = (results: readonly DataTestResult[]): DataTestResult[] =>
  results.filter(({ failures }) => failures > 0);

function sampleTable(rows: NonNullable<DataTestResult["sample"]>): string {
  const columns = Object.keys(rows[0] ?? {});
  return renderTable(
    columns,
    rows.map((row) => columns.map((column) => textOf(row[column]))),
  );
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
