import { STREAMS, type StreamName } from "./streams.ts";
import type { Micros } from "./time.ts";

export type Params = Readonly<Record<string, unknown>>;

/** A ClickHouse server over HTTP, or the engine in this process, with the same SQL. */
export interface Database {
  readonly label: string;
  /** Kind of access. `embedded` excludes other processes, so runs need no lease. */
  readonly kind: "embedded" | "server";
  /** Folder of the embedded engine, for suggested commands; absent for a server. */
  readonly directory?: string;
  /** Returns rows as objects. A 64-bit integer is a number if exact, else a string. */
  rows<T>(sql: string, params?: Params): Promise<T[]>;
  /** Runs a statement. `queryId` identifies the statement on the server. */
  run(sql: string, params?: Params, queryId?: string): Promise<void>;
  /** Streams lines of tab-separated values into columns of a table. */
  insertTsv(table: string, columns: readonly string[], data: AsyncIterable<Buffer>): Promise<void>;
  close(): Promise<void>;
  /** Opens a connection to one database of a server; close it separately. Absent if embedded. */
  inDatabase?(name: string): Database;
}

/** Database that returns results in any ClickHouse format. */
export interface ReadableDatabase extends Database {
  /** Returns the result of a read-only statement; the engine refuses other statements. */
  read(sql: string, format: string): Promise<Buffer>;
}

/** Messages of one stream in order of emission; the three arrays have the same length. */
export interface StreamBatch {
  readonly keys: (string | null)[];
  readonly values: string[];
  /** Model time of emission; null if a stored data set has no clock. */
  readonly emittedAt: (Micros | null)[];
}

/** Messages of one tick or one backfill batch. */
export type MessageBatch = Readonly<Record<StreamName, StreamBatch>>;

export const emptyBatch = (): MessageBatch => ({
  browser: { keys: [], values: [], emittedAt: [] },
  location: { keys: [], values: [], emittedAt: [] },
  device: { keys: [], values: [], emittedAt: [] },
  geo: { keys: [], values: [], emittedAt: [] },
});

export const messagesIn = (batch: MessageBatch): number =>
  STREAMS.reduce((sum, stream) => sum + batch[stream].values.length, 0);

/** Destination of messages: Kafka topics, `stg` tables of the embedded engine, or files. */
export interface Publisher {
  publish(batch: MessageBatch): Promise<void>;
  close(): Promise<void>;
}
