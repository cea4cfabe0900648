import type { Database, Params, ReadableDatabase } from "../../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../../contract/streams.ts";
import { readPlan } from "../../../warehouse/batch/plan.ts";
import { insertInto, SETTINGS } from "../../../warehouse/batch/publish.ts";
import { readQuery, readStatements } from "../../../warehouse/sql.ts";
import { selectTyped, typingParams } from "../../../warehouse/typing.ts";
import { clearAll } from "../../support/engine.ts";
import type { Case, Fixture } from "./fixture.ts";
import { expandIds, normalise, type TextTable } from "./notation.ts";
import { insertRows, type Rows, readRows, sorted } from "./tables.ts";

/** Actual and expected rows, by table. */
export interface Outcome {
  readonly found: Record<string, Rows>;
  readonly expected: Record<string, Rows>;
}

/** Inserts the given rows into empty tables, runs the file's statements, and reads the result. */
export async function runCase(
  db: ReadableDatabase,
  fixture: Fixture,
  test: Case,
): Promise<Outcome> {
  await clearAll(db);
  for (const [name, rows] of Object.entries({ ...fixture.given, ...test.given })) {
    await insertRows(db, name, withPayload(fixture, rows), fixture.defaults[name]);
  }
  const given = { ...readPlan().params, ...withIds(fixture.params), ...withIds(test.params) };
  const stream = STREAMS.find((one) => fixture.file === `etl/load_ods/${one}.sql`);
  const params = stream ? await messageParams(db, stream, given) : given;
  const statements = stream
    ? [await insertMessages(db, stream, params)]
    : statementsOf(fixture.file);
  const isAsked = Object.keys(test.expect).some(isOfQuery);
  const query = fixture.query ?? (isAsked ? statements.pop() : undefined);
  for (const statement of statements) await db.run(statement, params);
  const found: Record<string, Rows> = {};
  const expected: Record<string, Rows> = {};
  for (const [name, { columns, rows }] of Object.entries(test.expect)) {
    const inOrder = fixture.ordered && name === "rows" ? (given: Rows) => given : sorted;
    found[name] = inOrder(await readRows(db, queryOf(name, columns, query), params, columns));
    expected[name] = inOrder(rows.map((row) => row.map(normalise)));
  }
  return { found, expected };
}

async function messageParams(db: Database, stream: StreamName, given: Params): Promise<Params> {
  const params = { ...given, ...typingParams(stream) };
  const planned = await db.rows<Params>(readQuery("etl/load_ods/ranges.sql"), params);
  return { ...params, ranges: planned.find((one) => one.stream === stream)?.ranges ?? "[]" };
}

async function insertMessages(db: Database, stream: StreamName, params: Params): Promise<string> {
  const parsed = `ods.${stream}_parsed`;
  return insertInto(parsed, parsed, await selectTyped(db, stream, params), SETTINGS);
}

/** The DDL has run before. A table of dds or dm is a SELECT, which fills the table as its publication does. */
function statementsOf(file: string): string[] {
  if (file.startsWith("ddl/")) return [];
  const [, layer, table] = /^etl\/(dds|dm)\/(.*)\.sql$/.exec(file) ?? [];
  if (!table) return readStatements(file);
  const name = `${layer}.${table}`;
  return [insertInto(name, name, readQuery(file), SETTINGS)];
}

const isOfQuery = (name: string): boolean => /^rows( WHERE |$)/.test(name);

/** The query for one table of `expect`. */
function queryOf(name: string, columns: readonly string[], query: string | undefined): string {
  if (!isOfQuery(name)) return `SELECT ${columns.join(", ")} FROM ${name}`;
  if (query === undefined) throw new Error("the file has no query that gives rows");
  return name === "rows" ? query : `SELECT * FROM (${query}\n) ${name.slice("rows".length)}`;
}

/** Columns `raw.FIELD` become one column `raw`: the fixture's payload with these fields. */
function withPayload({ payload }: Fixture, { columns, rows }: TextTable): TextTable {
  const isField = columns.map((column) => column.startsWith("raw."));
  if (!isField.includes(true)) return { columns, rows };
  const plain = <T>(values: readonly T[]): T[] => values.filter((_, place) => !isField[place]);
  return {
    columns: [...plain(columns), "raw"],
    rows: rows.map((row) => [...plain(row), payloadOf(payload, columns, row)]),
  };
}

function payloadOf(
  payload: Fixture["payload"],
  columns: readonly string[],
  row: readonly string[],
): string {
  const object: Record<string, unknown> = { ...payload };
  columns.forEach((column, place) => {
    const [field, cell] = [/^raw\.(.*)$/.exec(column)?.[1], row[place] ?? ""];
    if (field === undefined || cell === "same") return;
    if (cell === "absent") delete object[field];
    else object[field] = fromJson(cell);
  });
  return JSON.stringify(object).replaceAll("\\", "\\\\");
}

/** `1`, `true`, `null` and `"1"` in JSON form; all else is text. */
function fromJson(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

const withIds = (params: Case["params"]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === "string" ? expandIds(value) : value,
    ]),
  );
