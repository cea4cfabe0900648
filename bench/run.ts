/**
 * Prints each measurement with a reference of the same run, and writes it into docs/benchmarks.md; only the ratios are
 * portable. Exits with 1 if a limit is exceeded. BENCH_EVENTS sets the size of the batch part.
 */
import { benchBatch } from "./batch.ts";
import { benchCollector } from "./collector.ts";
import { benchDemo } from "./demo.ts";
import { benchGenerator } from "./generator.ts";
import { writePage } from "./page.ts";
import { type BenchRow, report } from "./verdict.ts";

const events = Number(process.env.BENCH_EVENTS ?? 5_000_000);
const rows: BenchRow[] = [
  benchGenerator(),
  ...(await benchDemo()),
  ...(await benchBatch(events)),
  ...(await benchCollector()),
  ...(await kafkaRows()),
];

/** Measures Kafka; prints a note instead on machines without the requirements. */
async function kafkaRows(): Promise<BenchRow[]> {
  const { missingNeeds } = await import("../test/kafka/needs.ts");
  const missing = missingNeeds();
  if (missing.length === 0) return (await import("./kafka.ts")).benchKafka();
  console.log(`Kafka is not measured. Missing: ${missing.join("; ")}`);
  return [];
}

writePage(rows);
report(rows, { value: "measured", reference: "reference", unit: "unit", ratio: "ratio" });
