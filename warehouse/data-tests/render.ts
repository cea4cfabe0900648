import { renderTable } from "../../terminal/format.ts";
import type { DataTestResult } from "./run.ts";

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
