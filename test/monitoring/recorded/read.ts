import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Lines of a recorded list without the head that names its source. */
const linesOf = (file: string): string[] =>
  readFileSync(join(import.meta.dirname, file), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

/** Names of kafka_exporter. */
export const exporterNames: ReadonlySet<string> = new Set(linesOf("kafka-exporter.txt"));

const PREFIX = "ClickHouseAsyncMetrics_";
const asynchronous = linesOf("clickhouse.txt").map(
  (name) => new RegExp(`^${PREFIX}${name.replace("*name*", "\\w+")}$`),
);

/** True if ClickHouse reads this metric from the machine at intervals. */
export const isAsynchronous = (name: string): boolean => name.startsWith(PREFIX);

/** True if the documentation of a ClickHouse server lists this metric. */
export const isDocumented = (name: string): boolean =>
  asynchronous.some((pattern) => pattern.test(name));
