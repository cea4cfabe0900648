import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BI_USER } from "../../components/clickhouse/settings.ts";
import { findLab } from "../../labs/lab.ts";
import type { ServerDatabase } from "../../warehouse/database/http.ts";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { type Engine, holdEngine } from "../../warehouse/engine/engine.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { fill } from "../bi/marts.ts";
import { pipeline } from "../support/cli.ts";
import {
  type ContainerDatabase,
  DATABASE_SECRETS,
  startContainerDatabase,
} from "../support/container-database.ts";
import { blocksOf, ROOT } from "../support/page-blocks.ts";
import { pythonEnvironment } from "../support/python.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("clients-marts");
const workspace = join(root, "workspace");
let engine: Engine;
let db: ServerDatabase;
/** The database of a stack. */
let stack: ContainerDatabase;

beforeAll(async () => {
  engine = await holdEngine(workspace);
  db = await openWorkspace(workspace);
  stack = await startContainerDatabase({ directory: join(root, "stack") });
  for (const one of [db, stack.as()]) {
    await applyDdl(one, "all");
    await fill(one, "2026-01-05T00:00:00Z", "2026-01-07T00:00:00Z", 2);
  }
});
afterAll(async () => {
  await stack?.stop();
  await db?.close();
  await engine?.release();
});

/** Runs a program of `python/` with the locked packages. @returns its output */
function python(requirements: string, program: string, input: unknown, env = {}): string {
  const found = pythonEnvironment(join(ROOT, requirements));
  if ("missing" in found) throw new Error(found.missing);
  const { status, stdout, stderr } = spawnSync(
    found.python,
    [join(import.meta.dirname, "python", program)],
    { cwd: root, input: JSON.stringify(input), encoding: "utf8", env: { ...process.env, ...env } },
  );
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

const REQUIREMENTS = "test/clients/requirements.txt";
const pageBlock = (page: string, language: string): string =>
  blocksOf(readFileSync(join(ROOT, `docs/how-to/${page}.md`), "utf8")).find(
    (block) => block.language === language,
  )?.code ?? "";

type Check = "sum" | "last" | "distinct";
const SQL: Readonly<Record<Check, (column: string) => string>> = {
  sum: (column) => `toFloat64(ifNull(sum(${column}), 0))`,
  last: (column) => `toUnixTimestamp64Micro(toDateTime64(maxOrNull(${column}), 6, 'UTC'))`,
  distinct: (column) => `uniqExact(${column})`,
};
const LISTED_COLUMNS = `
  SELECT 'dm.' || table AS table, groupArray((name, check)) AS checks
  FROM (
      SELECT table, name, multiIf(
          match(type, '^(Nullable.)?(U?Int|Float|Decimal|Bool)'), 'sum',
          match(type, '^(Nullable.)?Date'), 'last',
          match(type, 'String') AND NOT match(type, 'Array|Map'), 'distinct',
          '') AS check
      FROM system.columns WHERE database = 'dm' AND table NOT LIKE 'v_live%' AND check != ''
      ORDER BY table, position)
  GROUP BY table ORDER BY table`;

interface ListedTable {
  readonly table: string;
  readonly checks: readonly (readonly [string, Check])[];
}

test.each(["a workspace", "a stack"])("DuckDB and pandas read the sums of %s", async (place) => {
  const of = place === "a stack" ? stack.as(BI_USER, DATABASE_SECRETS.clickhouseBiPassword) : db;
  const env: Record<string, string> =
    place === "a stack"
      ? {
          CLICKHOUSE_URL: stack.url,
          CLICKHOUSE_USER: BI_USER,
          CLICKHOUSE_PASSWORD: DATABASE_SECRETS.clickhouseBiPassword,
        }
      : { CLICKHOUSE_URL: workspace };
  const tables = await of.rows<ListedTable>(LISTED_COLUMNS);
  expect(tables.length).toBeGreaterThan(20);
  const to = join(root, "parquet");
  rmSync(to, { recursive: true, force: true });
  const names = tables.map(({ table }) => table);
  expect(pipeline(["export", ...names, "--to", to], env)).toMatchObject({ status: 0 });
  const byDay = ["export", "dm.event_enriched", "--to", to, "--by-day", "--replace"];
  expect(pipeline(byDay, env)).toMatchObject({ status: 0 });
  const days = readdirSync(join(to, "dm.event_enriched"));
  expect(days).toEqual(expect.arrayContaining(["2026-01-05.parquet", "2026-01-06.parquet"]));

  const input: Record<string, Record<string, Check>> = {};
  const expected: typeof input | Record<string, unknown> = {};
  for (const { table, checks } of tables) {
    const path = table === "dm.event_enriched" ? table : `${table}.parquet`;
    const columns = checks.map(([name, check]) => `${SQL[check](name)} AS _${name}`);
    const [row] = await of.rows<Record<string, unknown>>(`SELECT ${columns} FROM ${table}`);
    const own = rounded(checks.map(([name]) => [name, row?.[`_${name}`]]));
    input[`${to}/${path}`] = Object.fromEntries(checks);
    expected[`${to}/${path}`] = { duckdb: own, pandas: own };
  }
  const page = pageBlock("read-the-marts-in-a-notebook", "python").replaceAll("/tmp/parquet", to);
  const text = python(REQUIREMENTS, "read_parquet.py", { page, tables: input });
  const read = Object.entries(JSON.parse(text) as Record<string, Record<string, object>>);
  const found = read.map(([path, tools]) => [
    path,
    Object.fromEntries(
      Object.entries(tools).map(([tool, row]) => [tool, rounded(Object.entries(row))]),
    ),
  ]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

/** Sums of floats depend on the order of the rows. */
const rounded = (row: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(
    row.map(([name, value]) => [
      name,
      typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value,
    ]),
  );

test("a client of mcp-clickhouse lists the marts and answers a lab, but may not write", async () => {
  const { env } = JSON.parse(pageBlock("ask-with-an-assistant", "json")).mcpServers.marts;
  const found = pythonEnvironment(join(ROOT, REQUIREMENTS));
  if ("missing" in found) throw new Error(found.missing);
  const login = {
    CLICKHOUSE_PORT: String(engine.httpPort),
    CLICKHOUSE_PASSWORD: engine.readerPassword,
  };
  const lab = findLab(1);
  const server = { command: join(found.python, "../mcp-clickhouse"), env: { ...env, ...login } };
  const answer = JSON.parse(
    python(REQUIREMENTS, "ask_over_mcp.py", { server, sql: lab.solution }),
  ) as {
    tables: { tables: { name: string; comment: string }[] };
    answer: { rows: unknown[][] };
    refused: object;
  };
  const session = answer.tables.tables.find(({ name }) => name === "session");
  expect(session?.comment).toMatch(/^One row per session/);
  const rows = await db.rows<{ day: string; sessions: number }>(lab.solution);
  expect(rows).toHaveLength(2);
  expect(answer.answer.rows).toEqual(rows.map(({ day, sessions }) => [day, sessions]));
  expect(answer.refused).toMatchObject({ error: expect.stringContaining("Not enough privileges") });
});

const DBT = "examples/dbt/requirements.txt";
const CHANNELS = `SELECT count() AS rows, sum(sessions) AS sessions, groupBitXor(cityHash64(*)) AS digest
  FROM analytics.daily_channels`;

function dbt(port: number, login: object, ...commands: readonly (readonly string[])[]): void {
  const project = join(ROOT, "examples/dbt");
  python(DBT, "run_dbt.py", commands, {
    ...{ CLICKHOUSE_PORT: String(port), ...login },
    ...{ DBT_PROJECT_DIR: project, DBT_PROFILES_DIR: project },
    ...{ DBT_TARGET_PATH: join(root, "target"), DBT_LOG_PATH: join(root, "logs") },
  });
}

test("the dbt project runs twice, tests the marts, and after a further load equals a full refresh", async () => {
  const login = { CLICKHOUSE_PASSWORD: engine.password };
  const run = (...commands: string[][]) => dbt(engine.httpPort, login, ...commands);
  run(["run"]);
  const [first] = await db.rows<{ rows: number; sessions: number }>(CHANNELS);
  expect(first?.rows).toBeGreaterThan(10);
  run(["run"], ["test"], ["source", "freshness"], ["docs", "generate"]);
  expect(await db.rows(CHANNELS)).toEqual([first]);
  const { results } = JSON.parse(readFileSync(join(root, "target/sources.json"), "utf8"));
  expect(results).toMatchObject([{ unique_id: "source.marts.dm.dq_summary", status: "pass" }]);

  await fill(db, "2026-01-06T12:00:00Z", "2026-01-08T00:00:00Z", 3, "2");
  run(["run"]);
  const [incremental] = await db.rows<{ sessions: number }>(CHANNELS);
  expect(incremental?.sessions).toBeGreaterThan(first?.sessions ?? 0);
  run(["run", "--full-refresh"]);
  expect(await db.rows(CHANNELS)).toEqual([incremental]);
});

test("the dbt project runs unmodified on the database of a stack", async () => {
  const login = { CLICKHOUSE_USER: "default", CLICKHOUSE_PASSWORD: stack.password };
  dbt(stack.http, login, ["build"]);
  const [sums] = await stack.as().rows<object>(CHANNELS);
  const [marts] = await stack
    .as()
    .rows<object>("SELECT count() AS sessions FROM dm.session WHERE clock = 'right'");
  expect(sums).toMatchObject(marts ?? {});
});
