/**
 * Prints what we are fast at, each figure beside a reference measured in the same run: these
 * ratios hold on other machines, the figures do not. BENCH_EVENTS sets the size of the batch part.
 */
import { renderTable } from "../pipeline/terminal/format.ts";
import { benchBatch } from "./batch.ts";
import { type BenchRow, benchGenerator } from "./generator.ts";

const events = Number(process.env.BENCH_EVENTS ?? 5_000_000);
const rows: BenchRow[] = [...(await benchGenerator()), ...(await benchBatch(events))];
const cells = rows.map(({ name, value, unit, reference, ratio }) => [
  name,
  String(value),
  String(reference ?? ""),
  unit,
  String(ratio ?? ""),
]);
console.log(renderTable(["what", "ours", "reference", "unit", "ratio"], cells));
