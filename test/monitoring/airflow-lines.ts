import { readFileSync } from "node:fs";
import { join } from "node:path";

const RECORD = join(import.meta.dirname, "recorded/airflow-statsd.txt");

/** What a real Airflow has sent by StatsD, one line of each name; the head of the file says how. */
export const airflowLines: readonly string[] = readFileSync(RECORD, "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));
