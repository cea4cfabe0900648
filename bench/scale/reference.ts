import type { ReadableDatabase } from "../../contract/ports.ts";
import { ownCpuSeconds } from "../process.ts";

/** Fixed work that computes and reads memory at random, like joins and aggregates. */
const REFERENCE = "SELECT uniqExact(cityHash64(number)) AS n FROM numbers(5000000)";

/** Runs the fixed work on the embedded engine of this process. @returns its processor seconds */
export async function referenceSeconds(db: ReadableDatabase): Promise<number> {
  const before = ownCpuSeconds();
  await db.rows(REFERENCE);
  return ownCpuSeconds() - before;
}
