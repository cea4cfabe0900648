import { STREAMS, type StreamName } from "./streams.ts";
import type { Micros } from "./time.ts";

export type Params = Readonly<Record<string, unknown>>;

/** A ClickHouse server over HTTP, or the engine in this process, with the same SQL. */
export interface Database {
  readonly label: string;
  /** `embedded`: no other process can reach the data directory, so runs need no lease. */
  readonly kind: "embedded" | "server";
  /** Folder of the embedded engine, for suggested commands; absent for a server. */
  readonly directory?: string;
  /** Returns rows as objects; 64-bit integers are numbers if exact, else strings. */
  rows<T>(sql: string, params?: Params): Promise<T[]>;
  /** `queryId` names the statement on the server. */
  run(sql: string, params?: Params, queryId?: string): Promise<void>;
  /** Streams lines of tab-separated values into columns of a table. */
  insertTsv(table: string, columns: readonly string[], data: AsyncIterable<Buffer>): Promise<void>;
  close(): Promise<void>;
  /** Servers only, which reject a missing database. Close it separately. */
  inDatabase?(name: string): Database;
}

/** A database that answers people in any of ClickHouse's formats. */
export interface ReadableDatabase extends Database {
  /** Returns the answer of a statement that only reads; the engine refuses any other. */
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
