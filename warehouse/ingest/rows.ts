import type { Message } from "@platformatic/kafka";
import { HEADERS } from "../../contract/topics.ts";
import type { ServerDatabase } from "../database/http.ts";

const COLUMNS = [
  "_topic",
  "_partition",
  "_offset",
  "milliseconds",
  "_key",
  "raw",
  "`_headers.value`",
];
const TIMEOUT_MS = 120_000;

/** A load takes all rows up to the highest offset, so a batch must appear as a whole: as one block. */
const ONE_BLOCK = {
  async_insert: 0,
  max_insert_block_size: "10000000",
  min_insert_block_size_rows: "10000000",
  min_insert_block_size_bytes: `${2 ** 31}`,
} as const;

/** Inserts rows of `rowOf`. A repeated row replaces the stored one. */
export const insertRows = (db: ServerDatabase, rows: readonly string[]) =>
  db.insertTsv("stg.queue", COLUMNS, [Buffer.from(rows.join(""), "latin1")], {
    clickhouse_settings: ONE_BLOCK,
    abort_signal: AbortSignal.timeout(TIMEOUT_MS),
  });

/** Encodes a message as a row in TabSeparated. Latin-1 text keeps any bytes. */
export function rowOf({
  topic,
  partition,
  offset,
  timestamp,
  key,
  value,
  headerEntries,
}: Message): string {
  const headers = [HEADERS.epoch, HEADERS.emittedAt, HEADERS.repairs].map((wanted) => {
    const header = headerEntries.find(([name]) => name?.toString() === wanted);
    return `'${escaped(header?.[1])}'`;
  });
  return `${topic}\t${partition}\t${offset}\t${timestamp}\t${escaped(key)}\t${escaped(value)}\t[${headers}]\n`;
}

const CODES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

const escaped = (bytes: Buffer | undefined): string =>
  (bytes?.toString("latin1") ?? "").replace(/[\\\t\n\r']/g, (one) => CODES[one] ?? `\\${one}`);
