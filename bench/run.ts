/**
 * Prints what we are fast at, each figure beside a reference measured in the same run: these
 * ratios hold on other machines, the figures do not. Ends with 1 when a promise is not kept.
 * BENCH_EVENTS sets the size of the batch part.
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

/** A broker needs Java: without it this part is left out, and says so. */
async function kafkaRows(): Promise<BenchRow[]> {
  const { missingNeeds } = await import("../test/kafka/needs.ts");
  const missing = missingNeeds();
  if (missing.length === 0) return (await import("./kafka.ts")).benchKafka();
  console.log(`Kafka not measured, needs ${missing.join("; ")}`);
  return [];
}

report(rows, { value: "ours", reference: "reference", unit: "unit", ratio: "ratio" });
