import { STREAMS, type StreamName } from "./streams.ts";
import type { Micros } from "./time.ts";

export type Params = Readonly<Record<string, unknown>>;

/** A ClickHouse: a server over HTTP or the engine in this process. SQL is the same for both. */
export interface Database {
  /** Address for messages to people. */
  readonly label: string;
  /** `embedded`: nothing else can reach the data directory, so that its runs need no protection. */
  readonly kind: "embedded" | "server";
  /** Folder of the embedded engine, for commands that are suggested; a server has none. */
  readonly directory?: string;
  /** Rows as objects; 64-bit integers arrive as numbers where they fit, else as strings. */
  rows<T>(sql: string, params?: Params): Promise<T[]>;
  /** Runs a statement without a result. `queryId` names it on the server. */
  run(sql: string, params?: Params, queryId?: string): Promise<void>;
  /** Streams lines of tab-separated values into columns of a table. */
  insertTsv(table: string, columns: readonly string[], data: AsyncIterable<Buffer>): Promise<void>;
  close(): Promise<void>;
  /**
   * Another connection whose statements run in the database `name`: the server refuses them while it
   * does not exist. A server has it, the embedded engine does not. Close it apart from this one.
   */
  inDatabase?(name: string): Database;
}

/** Messages of one stream in order of emission; the three arrays have one length. */
export interface StreamBatch {
  readonly keys: (string | null)[];
  readonly values: string[];
  /** Model time of emission; null where a stored data set does not tell it. */
  readonly emittedAt: (Micros | null)[];
}

/** Everything one tick or one backfill batch publishes. */
export type MessageBatch = Readonly<Record<StreamName, StreamBatch>>;

export const emptyBatch = (): MessageBatch => ({
  browser: { keys: [], values: [], emittedAt: [] },
  location: { keys: [], values: [], emittedAt: [] },
  device: { keys: [], values: [], emittedAt: [] },
  geo: { keys: [], values: [], emittedAt: [] },
});

export const messagesIn = (batch: MessageBatch): number =>
  STREAMS.reduce((sum, stream) => sum + batch[stream].values.length, 0);

/** Where messages go: Kafka topics, `stg` tables of the embedded engine, or files. */
export interface Publisher {
  publish(batch: MessageBatch): Promise<void>;
  close(): Promise<void>;
}
