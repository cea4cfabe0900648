import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import {
  type BaseQueryParams,
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  type ClickHouseClientConfigOptions as ClientOptions,
  createClient,
  type DataFormat,
  SettingsMap,
} from "@clickhouse/client";
import { DatabaseError, DatabaseUnavailable, UserError } from "../../contract/errors.ts";
import type { Params, ReadableDatabase } from "../../contract/ports.ts";
import { explainTls } from "../../contract/tls.ts";

type Credentials = Required<Pick<ClientOptions, "username" | "password">>;

export interface ServerAddress {
  /** `http://host:port` or `https://host:port`, without credentials. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Workspace whose engine this is. */
  readonly directory?: string;
  /** User for statements of others, who may only read; default: `user`. */
  readonly reader?: Credentials;
}

/** Longest statement, milliseconds: loading years of history is slow. */
const REQUEST_TIMEOUT = 6 * 60 * 60_000;

export class ServerDatabase implements ReadableDatabase {
  readonly label: string;
  readonly directory?: string;
  readonly #address: ServerAddress;
  readonly #client: ClickHouseClient;
  readonly #reader: ClickHouseClient;

  constructor(address: ServerAddress, database?: string, settings: ClickHouseSettings = {}) {
    const { url, user, password, directory, reader } = address;
    this.label = directory === undefined ? url : `the workspace ${directory}`;
    if (directory !== undefined) this.directory = directory;
    this.#address = address;
    this.#client = clientOf(url, { username: user, password }, database, settings);
    this.#reader = reader === undefined ? this.#client : clientOf(url, reader);
  }

  async rows<T>(sql: string, params: Params = {}): Promise<T[]> {
    return this.#ask(async () => {
      const result = await this.#client.query({
        query: sql.replace(/;\s*$/, ""),
        query_params: { ...params },
        format: "JSONEachRow",
      });
      return (await result.json()) as T[];
    });
  }

  async read(sql: string, format: string, params: Params = {}): Promise<Buffer> {
    return this.#ask(async () => buffer((await this.#exec(sql, format, params)).stream));
  }

  async write(file: string, sql: string, format: string, params: Params = {}): Promise<number> {
    return this.#ask(async () => {
      // A query that fails late answers with its error instead of half a file.
      const { stream, summary } = await this.#exec(sql, format, params, { wait_end_of_query: 1 });
      await pipeline(stream, createWriteStream(file));
      return Number(summary?.result_rows ?? 0);
    });
  }

  #exec(sql: string, format: string, params: Params, settings: ClickHouseSettings = {}) {
    return this.#reader.exec({
      query: sql.replace(/;\s*$/, ""),
      query_params: { ...params },
      clickhouse_settings: {
        readonly: "2",
        default_format: format as DataFormat,
        ...settings,
      },
    });
  }

  async run(sql: string, params: Params = {}, queryId?: string): Promise<void> {
    await this.#ask(async () =>
      this.#client.command({
        query: sql,
        query_params: { ...params },
        clickhouse_settings: { wait_end_of_query: 1 },
        ...(queryId === undefined ? {} : { query_id: queryId }),
      }),
    );
  }

  async insertTsv(
    table: string,
    columns: readonly string[],
    data: AsyncIterable<Buffer> | Iterable<Buffer>,
    { clickhouse_settings, abort_signal }: BaseQueryParams = {},
  ) {
    const [first, ...rest] = columns;
    if (first === undefined) throw new Error("insertTsv needs columns");
    await this.#ask(async () =>
      this.#client.insert({
        table,
        columns: [first, ...rest],
        values: Readable.from(data, { objectMode: false }),
        format: "TabSeparated",
        ...(clickhouse_settings && { clickhouse_settings }),
        ...(abort_signal && { abort_signal }),
      }),
    );
  }

  inDatabase(name: string): ServerDatabase {
    const { reader, ...address } = this.#address;
    return new ServerDatabase(address, name);
  }

  narrowedBy(conditions: Readonly<Record<string, string>>): ServerDatabase {
    const { reader, ...address } = this.#address;
    // The client does not escape the texts of a map.
    const escaped = Object.entries(conditions).map(([table, condition]) => [
      table,
      condition.replaceAll(/[\\']/g, "\\$&"),
    ]);
    const settings = { additional_table_filters: SettingsMap.from(Object.fromEntries(escaped)) };
    return new ServerDatabase(address, undefined, settings);
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#reader.close()]);
  }

  async #ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw explain(error, this.#address.url, this.directory);
    }
  }
}

const clientOf = (
  url: string,
  credentials: Credentials,
  database?: string,
  settings: ClickHouseSettings = {},
): ClickHouseClient =>
  createClient({
    url,
    ...credentials,
    ...(database === undefined ? {} : { database }),
    request_timeout: REQUEST_TIMEOUT,
    // A process resumed after a pause must not reuse a connection that the server has closed.
    keep_alive: { eagerly_destroy_stale_sockets: true },
    // The CLI reports errors, so logging here would print each error twice.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      output_format_json_quote_64bit_integers: 0,
      // Keeps the connection from looking idle while a load runs.
      send_progress_in_http_headers: 1,
      http_headers_progress_interval_ms: "20000",
      ...settings,
    },
  });

const AWAY: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ECONNRESET",
  "EPIPE",
]);

/** Code of a wrong password, and of one that is required. */
const AUTHENTICATION_FAILED: ReadonlySet<string> = new Set(["516", "194"]);

/**
 * Turns connection and login errors into a UserError; returns other errors unchanged.
 * @param directory the workspace whose engine should answer
 */
export function explain(error: unknown, url: string, directory?: string): unknown {
  if (error instanceof ClickHouseError) {
    if (AUTHENTICATION_FAILED.has(error.code)) {
      if (directory !== undefined) {
        return new UserError(
          `The engine of ${directory} refuses the password in its folder engine`,
          "end the commands that use the workspace, then run this one again",
        );
      }
      return new UserError(
        `${url} refuses the user or password`,
        "check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD; make urls shows how to read the password",
      );
    }
    return new DatabaseError(error.message, Number(error.code), error, directory ?? url);
  }
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined && AWAY.has(code)) {
    if (directory !== undefined) {
      return new DatabaseUnavailable(
        `The engine of ${directory} has ended (${code})`,
        "run the command again",
      );
    }
    return new DatabaseUnavailable(
      `ClickHouse at ${url} cannot be reached (${code})`,
      "check the address; make up starts the stack, make demo and --database DIR need no server",
    );
  }
  const trust =
    "set NODE_EXTRA_CA_CERTS to a PEM file with the authority's certificates, then retry";
  const plain = `use ${url.replace(/^https:/, "http:")}, or the server's HTTPS port`;
  return explainTls(error as Error, { what: url, trust, plain }) ?? error;
}
