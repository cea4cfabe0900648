import { renderTable } from "../terminal/format.ts";

export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Value of the reference for the same work, in the same unit. */
  readonly reference?: number;
  readonly ratio?: number;
  /** Limit of the ratio, or of the value if there is no reference. */
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Returns the limit as text; empty without a limit. */
export function limitOf({ atLeast, atMost }: BenchRow): string {
  if (atLeast !== undefined) return `at least ${atLeast}`;
  return atMost === undefined ? "" : `at most ${atMost}`;
}

/** Compares a row with the limit; empty without a limit. */
export function verdictOf(row: BenchRow): "" | "kept" | "NOT KEPT" {
  const { ratio, value, atLeast, atMost } = row;
  if (limitOf(row) === "") return "";
  const measured = ratio ?? value;
  return measured >= (atLeast ?? -Infinity) && measured <= (atMost ?? Infinity)
    ? "kept"
    : "NOT KEPT";
}

/** Headings of the columns between name and limit, in order. */
type Columns = Partial<Record<"value" | "reference" | "unit" | "ratio", string>>;

/** Prints the measurements; exits with 1 if a limit is exceeded. */
export function report(rows: readonly BenchRow[], columns: Columns): void {
  const shown = Object.keys(columns) as (keyof Columns)[];
  const cells = rows.map((row) => [
    row.name,
    ...shown.map((column) => String(row[column] ?? "")),
    limitOf(row),
    verdictOf(row),
  ]);
  console.log(renderTable(["what", ...Object.values(columns), "limit", ""], cells));
  process.exitCode = rows.some((row) => verdictOf(row) === "NOT KEPT") ? 1 : 0;
}
