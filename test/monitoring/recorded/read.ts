import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Lines of a recorded list without its head, which says where it is from. */
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

/** Whether it is one of the names that ClickHouse reads from the machine now and then. */
export const isAsynchronous = (name: string): boolean => name.startsWith(PREFIX);

/** Whether a ClickHouse server is documented to have it. */
export const isDocumented = (name: string): boolean =>
  asynchronous.some((pattern) => pattern.test(name));
