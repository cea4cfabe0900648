import { readFileSync } from "node:fs";
import { join } from "node:path";

const RECORD = join(import.meta.dirname, "recorded/airflow-statsd.txt");

/** One StatsD line of each name that a real Airflow has sent; the file's head names the source. */
export const airflowLines: readonly string[] = readFileSync(RECORD, "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));
