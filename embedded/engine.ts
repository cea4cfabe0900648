import { join } from "node:path";
import { type ChdbResult, Session } from "chdb";
import { DatabaseError, UserError } from "../contract/errors.ts";
import { requireWritable } from "../contract/files.ts";
import type { Database, Params } from "../contract/ports.ts";
import { lockHolder } from "./lock.ts";

const INSERT_SETTINGS = { input_format_parallel_parsing: 0 } as const;

/**
 * Pools as large as a server's; the engine would size them by the processors.
 * - Readers of Kafka: a topic that never falls silent holds one for a minute, so that on two
 *   processors two of the four topics were not read.
 * - Merges and mutations: a DELETE on more parts than there are slots waits seconds for the next.
 */
const SERVER_ARGUMENTS = [
  "--background_message_broker_schedule_pool_size=16",
  "--background_pool_size=16",
];

/**
 * Expressions of the pipeline's own statements are not compiled to machine code. It pays off in a server,
 * which keeps what it compiled; a process here runs a statement a few times, and compiling took a sixth
 * of a fresh process's incremental load. Other connections (`connect`) keep the engine's default.
 */
const QUERY_SETTINGS = [
  "--compile_expressions=0",
  "--compile_aggregate_expressions=0",
  "--compile_sort_description=0",
];

/**
 * The ClickHouse engine in this process (npm `chdb`), on a data directory that it locks.
 * One session runs its queries one after another, off the event loop.
 */
export class EmbeddedEngine implements Database {
  readonly kind = "embedded";
  readonly label: string;
  readonly directory: string;
  readonly #session: Session;
  #last: Promise<unknown> = Promise.resolve();

  /** Throws UserError when the directory cannot be used or another process holds it. */
  constructor(directory: string) {
    this.label = `the embedded engine in ${directory}`;
    this.directory = directory;
    this.#session = openSession(directory);
  }

  /**
   * Another connection to the same data, with its own settings, current database and temporary
   * tables. Its queries run beside those of this one. Close it before the engine.
   */
  connect(engineArguments: readonly string[] = []): Session {
    return new Session(this.directory, { connectionArgs: engineArguments });
  }

  /** Result bytes in a ClickHouse output format. */
  async query(sql: string, format: string, params: Params = {}): Promise<ChdbResult> {
    return this.#enqueue(() => this.#session.queryBindAsync(sql, params, { format }));
  }

  async rows<T>(sql: string, params: Params = {}): Promise<T[]> {
    const result = await this.query(sql, "JSONEachRow", params);
    return result
      .text()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as T);
  }

  async run(sql: string, params: Params = {}): Promise<void> {
    await this.query(sql, "Null", params);
  }

  async insertTsv(table: string, columns: readonly string[], data: AsyncIterable<Buffer>) {
    for await (const values of data) {
      await this.#enqueue(() =>
        this.#session.insert({ table, columns, values, format: "TSV", settings: INSERT_SETTINGS }),
      );
    }
  }

  /** Waits for the running query, then releases the data directory. */
  async close(): Promise<void> {
    await this.#last;
    this.#session.close();
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work).catch(async (error: unknown) => {
      await discardOutput(this.#session);
      throw asDatabaseError(error);
    });
    this.#last = next.catch(() => undefined);
    return next;
  }
}

function openSession(directory: string): Session {
  const subject = `The data directory ${directory}`;
  requireWritable(join(directory, "status"), subject);
  const holder = lockHolder(directory);
  if (holder !== undefined && holder !== process.pid) throw inUse(subject, ` (${holder})`);
  try {
    return new Session(directory, { connectionArgs: [...SERVER_ARGUMENTS, ...QUERY_SETTINGS] });
  } catch {
    // The engine prints the reason to stderr; the binding's error has none.
    throw inUse(subject);
  }
}

const inUse = (subject: string, holder = ""): UserError =>
  new UserError(
    `${subject} cannot be opened: another process${holder} uses it.`,
    "wait for that process or end it, or choose another directory: --database DIR",
  );

/** A KILL QUERY that ended the statement may end this one as well. */
const DISCARD_ATTEMPTS = 5;

/**
 * A query that fails after its first rows leaves them in the connection's buffer, and they would
 * be in front of the next query's result.
 */
export async function discardOutput(session: Session): Promise<void> {
  for (let attempt = 0; attempt < DISCARD_ATTEMPTS; attempt += 1) {
    const succeeded = await session.queryAsync("SELECT 1", { format: "Null" }).then(
      () => true,
      () => false,
    );
    if (succeeded) return;
  }
}

/** The engine's own text without the binding's prefix, with ClickHouse's error code. */
function asDatabaseError(error: unknown): DatabaseError {
  const text = error instanceof Error ? error.message : String(error);
  const message = text.replace(/^(Query|Insert) failed: /, "");
  const code = /Code: (\d+)\./.exec(message)?.[1];
  return new DatabaseError(message, code === undefined ? undefined : Number(code), error);
}
