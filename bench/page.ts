import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tableText } from "../scripts/reference/table.ts";
import { readPage, replace } from "../scripts/write-docs.ts";
import { formatCount } from "../terminal/format.ts";
import { type BenchRow, limitOf, verdictOf } from "./verdict.ts";

export const PAGE = "benchmarks.md";
export const HEAD = ["what", "unit", "measured", "reference", "ratio", "limit"];

/** Formats the measurements of one day for the page. */
export const measurementsText = (rows: readonly BenchRow[], date: string): string =>
  `Measured on ${date}.\n\n${tableText({ head: HEAD, rows: rows.map(cellsOf) })}`;

function cellsOf(row: BenchRow): string[] {
  const numbers = [row.value, row.reference, row.ratio].map((one) =>
    one === undefined ? "" : formatCount(one),
  );
  const missed = verdictOf(row) === "NOT KEPT" ? ": missed" : "";
  return [row.name, row.unit, ...numbers, `${limitOf(row)}${missed}`];
}

/** Replaces the earlier measurements in the page. */
export const pageWith = (measurements: string): string =>
  replace(readPage(PAGE), "measurements", measurements, "bench/run.ts");

export const writePage = (rows: readonly BenchRow[]): void =>
  writeFileSync(
    join(import.meta.dirname, "../docs", PAGE),
    pageWith(measurementsText(rows, new Date().toISOString().slice(0, 10))),
  );
