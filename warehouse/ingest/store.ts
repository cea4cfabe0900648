import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseSettings } from "@clickhouse/client";
import type { StreamName } from "../../contract/streams.ts";
import type { ServerDatabase } from "../database/http.ts";
import { ROW_STRUCTURE, type RowBuffer } from "./row-buffer.ts";

/** Larger than any batch, so that a batch is one block: all of it is stored, or nothing. */
const BLOCK_ROWS = 10_000_000;
const BLOCK_BYTES = 2 ** 31;

/**
 * Makes a server obey `insert_deduplicate` and tokens. `deduplicate_insert_select` from 26.1 and
 * `deduplicate_insert` from 26.2 on override them, which older servers do not know, so they cannot be set.
 */
export const OBEY_DEDUPLICATION: ClickHouseSettings = { compatibility: "25.8" };

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

export interface StoreOptions {
  readonly signal: AbortSignal;
  /** Called for each failed attempt. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Stores rows exactly once (docs/explanation/exactly-once.md); retries until `signal`.
 * Returns the number of rows that another consumer has certainly stored.
 */
export async function storeRows(
  db: ServerDatabase,
  stream: StreamName,
  rows: RowBuffer,
  options: StoreOptions,
): Promise<number> {
  let [pause, byOthers, from] = [FIRST_PAUSE_MS, 0, first(rows, -1n)];
  while (from !== undefined) {
    try {
      await insertRows(db, stream, rows, from);
      const stored = await storedFrom(db, stream, rows, from);
      if (stored === undefined) throw new Error(notVisible(stream, rows, from));
      from = first(rows, stored);
      const isOwn = stored === rows.offsets.at(-1);
      if (!isOwn) byOthers = from === undefined ? rows.rows : rows.offsets.indexOf(from);
      pause = FIRST_PAUSE_MS;
    } catch (error) {
      options.onFailure(error as Error);
      await sleep(pause, undefined, { signal: options.signal });
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
    }
  }
  return byOthers;
}

const first = ({ offsets }: RowBuffer, after: bigint): bigint | undefined =>
  offsets.find((offset) => offset > after);

const notVisible = (stream: StreamName, { epoch, partition }: RowBuffer, from: bigint): string =>
  `stg.${stream}_raw does not show the rows of epoch ${epoch}, partition ${partition} from offset ${from}, although the insert succeeded`;

/**
 * Inserts the rows from an offset that follows the last stored row. Two conditions prevent a second
 * copy: the statement stores nothing if a row at or after `from` exists when it starts, and of
 * statements that run at the same time, the server stores one per token.
 */
async function insertRows(
  db: ServerDatabase,
  stream: StreamName,
  rows: RowBuffer,
  from: bigint,
): Promise<void> {
  await db.insertRows(insertStatement(stream, rows, from), rows.after(from - 1n), {
    ...OBEY_DEDUPLICATION,
    insert_deduplicate: 1,
    insert_deduplication_token: `${rows.epoch}-${rows.partition}-${from}`,
    deduplicate_blocks_in_dependent_materialized_views: 1,
    async_insert: 0,
    max_insert_threads: "1",
    max_block_size: `${BLOCK_ROWS}`,
    max_insert_block_size: `${BLOCK_ROWS}`,
    min_insert_block_size_rows: `${BLOCK_ROWS}`,
    min_insert_block_size_bytes: `${BLOCK_BYTES}`,
  });
}

/** @public for the test of two statements at the same time */
export const insertStatement = (
  stream: StreamName,
  { epoch, partition }: RowBuffer,
  from: bigint,
): string =>
  `INSERT INTO stg.${stream}_queue SELECT * FROM input('${ROW_STRUCTURE}')
   WHERE (SELECT count() FROM stg.${stream}_raw
     WHERE epoch = ${epoch} AND _partition = ${partition} AND _offset >= ${from}) = 0
   FORMAT RowBinary`;

/** Returns the last stored offset from `from` on, which is the end of somebody's whole batch. */
async function storedFrom(
  db: ServerDatabase,
  stream: StreamName,
  { epoch, partition }: RowBuffer,
  from: bigint,
): Promise<bigint | undefined> {
  const [row] = await db.rows<{ last: string | null }>(
    `SELECT toString(maxOrNull(_offset)) AS last FROM stg.${stream}_raw
     WHERE epoch = {epoch:UInt64} AND _partition = {partition:Int32} AND _offset >= {from:Int64}`,
    { epoch: `${epoch}`, partition, from: `${from}` },
  );
  return row?.last == null ? undefined : BigInt(row.last);
}
