import type { Command } from "commander";
import { UserError } from "../contract/errors.ts";
import type { ReadableDatabase } from "../contract/ports.ts";
import { formatNumber } from "../terminal/format.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { filledTables } from "../warehouse/batch/clear-layers.ts";
import {
  type DataTestResult,
  failedTests,
  renderDataTests,
  runDataTests,
} from "../warehouse/data-tests.ts";
import { hintToRun } from "../warehouse/database/command.ts";
import { repeatAfterBatch } from "../warehouse/reconciliation/concurrent-loads.ts";
import { type DatabaseOption, databaseOption, jsonOption, withDatabase } from "./options.ts";

interface TestOptions extends DatabaseOption {
  readonly show?: true;
}

/** Failing rows that --show prints per test. */
const SAMPLES = 5;

export function registerTest(program: Command): void {
  program
    .command("test")
    .description("Test the tables of dds and dm: unique, not_null, accepted_values, relationships")
    .option("--show", `also print up to ${SAMPLES} failing rows per test`)
    .addOption(databaseOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nThe tests are declared in contract/data-tests.ts. Exit code 1: a test has failing rows.",
    )
    .action(async ({ show, json, ...options }: TestOptions) => {
      const { results, hint } = await withDatabase(options, async (db) => {
        await requireRows(db);
        const results = await testData(db, show ? SAMPLES : 0);
        return { results, hint: nextStep(db, show) };
      });
      if (json) printJson(results);
      else printLine(renderDataTests(results));
      requirePassed(results, hint);
    });
}

/** Refuses an empty layer, of which every test would pass. @throws UserError */
async function requireRows(db: ReadableDatabase): Promise<void> {
  const filled = await filledTables(db);
  const empty = ["dds", "dm"].find((layer) => !filled.some((one) => one.startsWith(`${layer}.`)));
  if (empty === undefined) return;
  throw new UserError(`The tables of ${empty} have no rows to test`, hintToRun(db, "transform"));
}

const testData = (db: ReadableDatabase, samples: number): Promise<DataTestResult[]> =>
  repeatAfterBatch(
    db,
    () => runDataTests(db, samples),
    (results) => failedTests(results).length > 0,
  );

const nextStep = (db: ReadableDatabase, isShown: true | undefined): string =>
  isShown
    ? `${hintToRun(db, "prove --deep", "make prove DEEP=1")} to see which layer to rebuild`
    : `${hintToRun(db, "test --show", "make test-data SHOW=1")} to see failing rows`;

/** @throws UserError when a test has failing rows */
function requirePassed(results: readonly DataTestResult[], hint: string): void {
  const failed = failedTests(results);
  const [first] = failed;
  if (first === undefined) return;
  throw new UserError(
    `${failed.length} of ${formatNumber(results.length, "data test")} failed, the first: ${first.name} (${formatNumber(first.failures, "row")})`,
    hint,
  );
}
