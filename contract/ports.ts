import { byStream, STREAMS, type StreamName } from "./streams.ts";
import type { Micros } from "./time.ts";

export type Params = Readonly<Record<string, unknown>>;

/** ClickHouse over HTTP: a server, or the local engine of a workspace. */
export interface Database {
  readonly label: string;
  /** Folder of the workspace, for suggested commands; absent for a server. */
  readonly directory?: string;
  /** Returns rows as objects. A 64-bit integer is a number if exact, else a string. */
  rows<T>(sql: string, params?: Params): Promise<T[]>;
  /** Runs a statement. `queryId` identifies the statement on the server. */
  run(sql: string, params?: Params, queryId?: string): Promise<void>;
  /** Streams lines of tab-separated values into columns of a table. */
  insertTsv(
    table: string,
    columns: readonly string[],
    data: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): Promise<void>;
  close(): Promise<void>;
  /** Opens a connection whose statements run in one database; close it separately. */
  inDatabase(name: string): Database;
}

/** Database that returns results in any ClickHouse format. */
export interface ReadableDatabase extends Database {
  /** Returns the result of a read-only statement; the engine refuses other statements. */
  read(sql: string, format: string, params?: Params): Promise<Buffer>;
  /** Writes the result of a read-only statement into a new file. @returns the number of rows */
  write(file: string, sql: string, format: string, params?: Params): Promise<number>;
  /** Opens a connection that reads only rows that meet the condition of their table; close it separately. */
  narrowedBy(conditions: Readonly<Record<string, string>>): Database;
}

/** Messages of one stream in order of emission; the arrays have the same length. */
export interface StreamBatch {
  readonly keys: (string | null)[];
  readonly values: string[];
  /** Model time of emission; null if a stored dataset has no clock. */
  readonly emittedAt: (Micros | null)[];
  /** Rejected messages that these repair, `epoch/partition/offset`. */
  readonly repairs?: string[];
}

/** Messages of one tick or one backfill batch. */
export type MessageBatch = Readonly<Record<StreamName, StreamBatch>>;

export const emptyBatch = (): MessageBatch =>
  byStream(() => ({ keys: [], values: [], emittedAt: [] }));

export const messagesIn = (batch: MessageBatch): number =>
  STREAMS.reduce((sum, stream) => sum + batch[stream].values.length, 0);

/** Destination of messages: Kafka topics, `stg` tables, or files. */
export interface Publisher {
  publish(batch: MessageBatch): Promise<void>;
  close(): Promise<void>;
}
