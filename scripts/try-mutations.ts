/** Tries each mutation of the SQL in the folder of this file, which mutate-sql.ts has copied. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { DatabaseError } from "../contract/errors.ts";
import type { ReadableDatabase } from "../contract/ports.ts";
import { readFixtures } from "../test/engine/expected-rows/fixture.ts";
import { runCase } from "../test/engine/expected-rows/run-case.ts";
import { openTestEngine } from "../test/support/engine.ts";
import { DECLARED_PATH, ddlDigest } from "../warehouse/declared.ts";
import { SQL_ROOT, splitStatements } from "../warehouse/sql.ts";
import {
  allMutations,
  type Mutation,
  type Outcome,
  outcomeFrom,
  type TestReport,
} from "./sql-mutations.ts";

const ROOT = join(import.meta.dirname, "..");
/** Tests of behaviour beyond expected rows, by the folders that they test. */
const FURTHER: readonly (readonly [folder: RegExp, files: readonly string[]])[] = [
  [
    /^import\//,
    ["imports", "own-data", "import-functions"].map((name) => `test/engine/${name}.test.ts`),
  ],
  [/^sources\//, ["test/engine/sources.test.ts"]],
  [/^checks\/deep\//, ["test/faults/deep.test.ts"]],
  [/^checks\//, ["test/engine/reconciliation.test.ts"]],
  [/^etl\/(gate|load_dm)\//, ["test/engine/gate.test.ts"]],
  [/^etl\/load_ods\//, ["test/engine/bad-input.test.ts", "test/faults/uncommitted-loads.test.ts"]],
  [/^etl\/(changed|dds|dm)\//, ["test/engine/incremental.test.ts"]],
  [/v_pipeline_metrics/, ["test/engine/pipeline-metrics.test.ts"]],
  [/^ddl\//, ["test/engine/marts.test.ts"]],
];
const REQUIRED_SHARE = 0.85;

async function run(part: string): Promise<number> {
  const started = performance.now();
  // Files without expected rows have FURTHER tests only.
  const mutations = allMutations().filter(
    ({ file }) => file.includes(part) && (process.env.FURTHER || fixturesOf(file).length > 0),
  );
  if (mutations.length === 0) throw new Error(`No file of sql/ with expected rows has ${part}`);
  await using engine = await openTestEngine();
  await engine.db.run("SYSTEM STOP MERGES stg.raw");
  const passing = new Set<string>();
  let killed = 0;
  let tried = 0;
  for (const mutation of mutations) {
    let outcome = await compareRows(engine.db, mutation);
    if (outcome === "survived" && process.env.FURTHER) outcome = runFurther(mutation, passing);
    if (outcome !== "refused") tried += 1;
    if (outcome === "killed") killed += 1;
    else console.log(`${outcome}: sql/${mutation.file}: ${mutation.breaks}`);
  }
  const minutes = ((performance.now() - started) / 60_000).toFixed(0);
  const percent = ((100 * killed) / tried).toFixed(1);
  console.log(`${killed} of ${tried} killed (${percent} %) in ${minutes} minutes`);
  return killed / tried >= REQUIRED_SHARE ? 0 : 1;
}

const fixtures = readFixtures();
const fixturesOf = (file: string) =>
  fixtures.filter((one) => one.file === file || one.also.includes(file));

/** Compares the expected rows of the file's fixtures. */
async function compareRows(db: ReadableDatabase, { file, sql }: Mutation): Promise<Outcome> {
  const original = readFileSync(join(SQL_ROOT, file), "utf8");
  try {
    await replaceSql(db, file, sql);
    for (const fixture of fixturesOf(file)) {
      for (const one of Object.values(fixture.cases)) {
        const { found, expected } = await runCase(db, fixture, one);
        if (!isDeepStrictEqual(found, expected)) return "killed";
      }
    }
    return "survived";
  } catch (error) {
    return error instanceof DatabaseError ? "refused" : "killed";
  } finally {
    await replaceSql(db, file, original);
  }
}

/** Writes the file of the copy, and creates its views and functions again. */
async function replaceSql(db: ReadableDatabase, file: string, sql: string): Promise<void> {
  writeFileSync(join(SQL_ROOT, file), sql);
  if (!file.startsWith("ddl/")) return;
  for (const statement of splitStatements(sql)) {
    const [, kind, view] =
      /^CREATE (?:OR REPLACE (FUNCTION)|(?:MATERIALIZED )?VIEW IF NOT EXISTS (\S+))/m.exec(
        statement,
      ) ?? [];
    if (view) await db.run(`DROP VIEW IF EXISTS ${view}`);
    if (kind || view) await db.run(statement);
  }
}

function runFurther({ file, sql }: Mutation, passing: Set<string>): Outcome {
  const tests = FURTHER.find(([folder]) => folder.test(file))?.[1];
  if (!tests) return "survived";
  const key = tests.join(" ");
  // Tests that fail without a mutation would kill every mutation.
  if (!passing.has(key) && outcomeOf(tests) !== "survived") {
    throw new Error(`These tests fail without a mutation: ${key}`);
  }
  passing.add(key);
  const path = join(SQL_ROOT, file);
  const original = readFileSync(path, "utf8");
  const declared = readFileSync(DECLARED_PATH, "utf8");
  writeFileSync(path, sql);
  // A changed view is not refused as one that was not recorded.
  writeFileSync(DECLARED_PATH, JSON.stringify({ ...JSON.parse(declared), ddl: ddlDigest() }));
  try {
    return outcomeOf(tests);
  } finally {
    writeFileSync(path, original);
    writeFileSync(DECLARED_PATH, declared);
  }
}

function outcomeOf(files: readonly string[]): Outcome {
  const report = join(ROOT, "report.json");
  rmSync(report, { force: true });
  const projects = ["engine", "faults"].flatMap((level) => ["--project", level]);
  const options = ["--bail", "1", "--reporter=json", `--outputFile=${report}`];
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  spawnSync(process.execPath, [vitest, "run", ...projects, ...options, ...files], { cwd: ROOT });
  return outcomeFrom(JSON.parse(readFileSync(report, "utf8")) as TestReport);
}

process.exitCode = await run(process.argv[2] ?? "");
