import { renderTable } from "../terminal/format.ts";
import type { BenchRow } from "./generator.ts";

/** The promise in words; empty where none was made. */
export function promiseOf({ atLeast, atMost }: BenchRow): string {
  if (atLeast !== undefined) return `at least ${atLeast}`;
  return atMost === undefined ? "" : `at most ${atMost}`;
}

/** Empty where nothing was promised: such a row proves nothing. */
export function verdictOf(row: BenchRow): "" | "kept" | "NOT KEPT" {
  const { ratio, value, atLeast, atMost } = row;
  if (promiseOf(row) === "") return "";
  const measured = ratio ?? value;
  return measured >= (atLeast ?? -Infinity) && measured <= (atMost ?? Infinity)
    ? "kept"
    : "NOT KEPT";
}

/** Columns of a report between the name and the promise, in order, with their headings. */
type Columns = Partial<Record<"value" | "reference" | "unit" | "ratio", string>>;

/** Prints what was measured; the process ends with 1 when a promise is not kept. */
export function report(rows: readonly BenchRow[], columns: Columns): void {
  const shown = Object.keys(columns) as (keyof Columns)[];
  const cells = rows.map((row) => [
    row.name,
    ...shown.map((column) => String(row[column] ?? "")),
    promiseOf(row),
    verdictOf(row),
  ]);
  console.log(renderTable(["what", ...Object.values(columns), "promise", ""], cells));
  process.exitCode = rows.some((row) => verdictOf(row) === "NOT KEPT") ? 1 : 0;
}
