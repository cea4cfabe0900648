/**
 * Prints what we are fast at, each figure beside a reference measured in the same run: these
 * ratios hold on other machines, the figures do not. Ends with 1 when a promise is not kept.
 * BENCH_EVENTS sets the size of the batch part.
 */
import { renderTable } from "../pipeline/terminal/format.ts";
import { benchBatch } from "./batch.ts";
import { benchDemo } from "./demo.ts";
import { type BenchRow, benchGenerator } from "./generator.ts";

const events = Number(process.env.BENCH_EVENTS ?? 5_000_000);
const rows: BenchRow[] = [
  ...(await benchGenerator()),
  ...benchDemo(),
  ...(await benchBatch(events)),
];

function promise({ atLeast, atMost }: BenchRow): string {
  if (atLeast !== undefined) return `at least ${atLeast}`;
  return atMost === undefined ? "" : `at most ${atMost}`;
}

function isKept({ ratio, value, atLeast, atMost }: BenchRow): boolean {
  const measured = ratio ?? value;
  return measured >= (atLeast ?? -Infinity) && measured <= (atMost ?? Infinity);
}

const cells = rows.map((row) => [
  row.name,
  String(row.value),
  String(row.reference ?? ""),
  row.unit,
  String(row.ratio ?? ""),
  promise(row),
  isKept(row) ? "kept" : "NOT KEPT",
]);
console.log(renderTable(["what", "ours", "reference", "unit", "ratio", "promise", ""], cells));
process.exitCode = rows.every(isKept) ? 0 : 1;
