/**
 * Prints each figure beside a reference measured in the same run: the ratios are portable, the
 * figures are not. Exits with 1 if a limit is exceeded. BENCH_EVENTS sets the size of the batch
 * part.
 */
import { benchBatch } from "./batch.ts";
import { benchDemo } from "./demo.ts";
import { type BenchRow, benchGenerator } from "./generator.ts";
import { report } from "./verdict.ts";

const events = Number(process.env.BENCH_EVENTS ?? 5_000_000);
const rows: BenchRow[] = [
  ...(await benchGenerator()),
  ...benchDemo(),
  ...(await benchBatch(events)),
  ...(await kafkaRows()),
];

/** Skips this part, with a note, on machines without Java, which a broker needs. */
async function kafkaRows(): Promise<BenchRow[]> {
  const { missingNeeds } = await import("../test/kafka/needs.ts");
  const missing = missingNeeds();
  if (missing.length === 0) return (await import("./kafka.ts")).benchKafka();
  console.log(`Kafka not measured, needs ${missing.join("; ")}`);
  return [];
}

report(rows, { value: "ours", reference: "reference", unit: "unit", ratio: "ratio" });
