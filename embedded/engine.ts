import { join } from "node:path";
import { type ChdbResult, Session } from "chdb";
import { DatabaseError, UserError } from "../contract/errors.ts";
import { requireWritable } from "../contract/files.ts";
import type { Database, Params, ReadableDatabase } from "../contract/ports.ts";
import { lockHolder } from "./lock.ts";

const INSERT_SETTINGS = { input_format_parallel_parsing: 0 } as const;

/** Pool sizes of a server; smaller pools block Kafka readers and deletes. */
const SERVER_ARGUMENTS = [
  "--background_message_broker_schedule_pool_size=16",
  "--background_pool_size=16",
];

/** Settings without JIT compilation, which costs more than it saves in a short process. */
const QUERY_SETTINGS = [
  "--compile_expressions=0",
  "--compile_aggregate_expressions=0",
  "--compile_sort_description=0",
];

/** Engine in this process, with a lock on the data directory; runs one query at a time. */
export class EmbeddedEngine implements ReadableDatabase {
  readonly label: string;
  readonly directory: string;
  readonly #session: Session;
  #last: Promise<unknown> = Promise.resolve();

  /** Opens a data directory. @throws UserError if it is unusable or another process has the lock */
  constructor(directory: string) {
    this.label = `the embedded engine in ${directory}`;
    this.directory = directory;
    this.#session = openSession(directory);
  }

  /** Opens a connection whose queries run in parallel with others. Close it before the engine. */
  connect(engineArguments: readonly string[] = []): Session {
    return new Session(this.directory, { connectionArgs: engineArguments });
  }

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

  async read(sql: string, format: string): Promise<Buffer> {
    await this.run("SET readonly = 2");
    return Buffer.from((await this.query(sql.replace(/;\s*$/, ""), format)).bytes());
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

  /** Shares the connection, because statements name their databases. */
  inDatabase(): Database {
    return {
      label: this.label,
      directory: this.directory,
      rows: (...query) => this.rows(...query),
      run: (sql, params) => this.run(sql, params),
      insertTsv: (...insert) => this.insertTsv(...insert),
      inDatabase: () => this.inDatabase(),
      close: async () => undefined,
    };
  }

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
    // The binding's error has no reason; the engine prints the reason to stderr.
    throw inUse(subject);
  }
}

const inUse = (subject: string, holder = ""): UserError =>
  new UserError(
    `${subject} cannot be opened: it is in use by another process${holder}`,
    "end that process, or choose another directory with --database DIR",
  );

/** Number of attempts, because a late KILL QUERY for the failed statement may stop an attempt. */
const DISCARD_ATTEMPTS = 5;

/** Discards rows of a failed query, which would precede the result of the next query. */
export async function discardOutput(session: Session): Promise<void> {
  for (let attempt = 0; attempt < DISCARD_ATTEMPTS; attempt += 1) {
    const succeeded = await session.queryAsync("SELECT 1", { format: "Null" }).then(
      () => true,
      () => false,
    );
    if (succeeded) return;
  }
}

function asDatabaseError(error: unknown): DatabaseError {
  const text = error instanceof Error ? error.message : String(error);
  const message = text.replace(/^(Query|Insert) failed: /, "");
  const code = /Code: (\d+)\./.exec(message)?.[1];
  return new DatabaseError(message, code === undefined ? undefined : Number(code), error);
}
