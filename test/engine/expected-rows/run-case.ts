import type { EmbeddedEngine } from "../../../embedded/engine.ts";
import { readPlan } from "../../../pipeline/batch/plan.ts";
import { readStatements } from "../../../pipeline/sql.ts";
import type { Case, Fixture } from "./fixture.ts";
import { expandIds, normalise, type TextTable, toTsv } from "./notation.ts";

/** Rows in the notation of the fixtures. */
type Rows = readonly (readonly string[])[];

/** What a case found and what it should have found, by table. */
export interface Outcome {
  readonly found: Record<string, Rows>;
  readonly expected: Record<string, Rows>;
}

/** Inserts the given rows into empty tables, runs the statements of the file, and reads what is expected. */
export async function runCase(db: EmbeddedEngine, fixture: Fixture, test: Case): Promise<Outcome> {
  await emptyTables(db);
  for (const [name, rows] of Object.entries(test.given)) await insert(db, fixture, name, rows);
  const statements = fixture.file.startsWith("ddl/") ? [] : readStatements(fixture.file);
  const params = { ...readPlan().params, ...withIds(fixture.params), ...withIds(test.params) };
  const query = "rows" in test.expect ? statements.pop() : undefined;
  for (const statement of statements) await db.run(statement, params);
  const found: Record<string, Rows> = {};
  const expected: Record<string, Rows> = {};
  for (const [name, { columns, rows }] of Object.entries(test.expect)) {
    const sql = name === "rows" ? query : `SELECT ${columns.join(", ")} FROM ${name}`;
    if (sql === undefined) throw new Error(`${fixture.file} has no query that gives rows`);
    const isOrdered = name === "rows" && fixture.ordered;
    found[name] = inOrder(isOrdered, await read(db, sql, params, columns));
    expected[name] = inOrder(
      isOrdered,
      rows.map((row) => row.map((cell) => normalise(cell))),
    );
  }
  return { found, expected };
}

async function emptyTables(db: EmbeddedEngine): Promise<void> {
  const tables = await db.rows<{ name: string }>(
    `SELECT concat(database, '.', name) AS name FROM system.tables
     WHERE database IN ('stg', 'ods', 'dds', 'dm') AND engine LIKE '%MergeTree' AND total_rows > 0`,
  );
  for (const { name } of tables) await db.run(`TRUNCATE TABLE ${name}`);
}

async function insert(
  db: EmbeddedEngine,
  fixture: Fixture,
  name: string,
  { columns, rows }: TextTable,
): Promise<void> {
  const ofPayload = columns.filter((column) => column.startsWith("raw."));
  const lines = rows.map((row) => {
    const cells = new Map(columns.map((column, index) => [column, row[index] ?? ""]));
    const raw = payloadOf(fixture, ofPayload, cells);
    const named = [...cells].filter(([column]) => !column.startsWith("raw."));
    const values = Object.entries({ ...fixture.defaults[name], ...Object.fromEntries(named) });
    return {
      columns: [...values.map(([column]) => column), ...raw.map(() => "raw")],
      text: [...values.map(([column, cell]) => toTsv(column, cell)), ...raw].join("\t"),
    };
  });
  const [first] = lines;
  if (!first) return;
  const data = Buffer.from(lines.map(({ text }) => `${text}\n`).join(""));
  await db.insertTsv(
    name,
    first.columns,
    (async function* () {
      yield data;
    })(),
  );
}

/** The fixture's payload with the fields of one row; none where the table names no field. */
function payloadOf(
  { payload }: Fixture,
  fields: readonly string[],
  cells: ReadonlyMap<string, string>,
): string[] {
  if (fields.length === 0) return [];
  const object: Record<string, unknown> = { ...payload };
  for (const column of fields) {
    const [field, cell] = [column.slice("raw.".length), cells.get(column) ?? ""];
    if (cell === "absent") delete object[field];
    else if (cell !== "same") object[field] = fromJson(cell);
  }
  return [expandIds(JSON.stringify(object)).replaceAll("\\", "\\\\")];
}

/** `1`, `true`, `null` and `"1"` as JSON has them; anything else is text. */
function fromJson(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

async function read(
  db: EmbeddedEngine,
  sql: string,
  params: Record<string, unknown>,
  columns: readonly string[],
): Promise<Rows> {
  const result = await db.query(sql, "TSVWithNames", params);
  const [header = "", ...lines] = result.text().replace(/\n$/, "").split("\n");
  const places = columns.map((column) => {
    const place = header.split("\t").indexOf(column);
    if (place < 0) throw new Error(`there is no column ${column} among ${header.split("\t")}`);
    return place;
  });
  return lines
    .map((line) => line.split("\t"))
    .map((values) => places.map((place) => normalise(values[place] ?? "")));
}

const inOrder = (isOrdered: boolean, rows: Rows): Rows =>
  isOrdered ? rows : rows.toSorted((a, b) => (a.join("\t") < b.join("\t") ? -1 : 1));

const withIds = (params: Case["params"]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === "string" ? expandIds(value) : value,
    ]),
  );
