import type { Session } from "chdb";
import { Admission } from "./admission.ts";
import { exception } from "./errors.ts";
import { quoted } from "./parameters.ts";
import type { Processes } from "./processes.ts";
import { MAX_STATEMENT_BYTES } from "./receive.ts";
import { tableTest } from "./table-names.ts";

/** Upper limits of a client's settings, because parsing happens before the queue. */
const LIMITS = { max_parser_depth: 1_000, max_parser_backtracks: 1_000_000 } as const;
/** Longest wait for the parser, which parses one statement at a time. */
const MAX_WAIT_MS = 60_000;
const MAX_QUERY_SIZE = 262_144;

/** Query size of the parser, more than the longest accepted statement in Base64. */
const OUR_LIMIT = 2 * MAX_STATEMENT_BYTES;

const OUR_SCOPE = /: In scope SELECT formatQuerySingleLine[\s\S]*(?=\. \([A-Z_]+\)\s*$)/;

const RAW = { format: "TabSeparatedRaw" } as const;
const USER_FUNCTIONS = "SELECT name FROM system.functions WHERE origin != 'System'";

export class Parser {
  readonly #session: Session;
  readonly #admission = new Admission(1);

  constructor(processes: Processes) {
    // The limit must allow a statement as a literal inside the parser's query.
    this.#session = processes.connect([
      `--max_query_size=${OUR_LIMIT}`,
      "--implicit_select=0",
    ]).session;
  }

  /**
   * Formats a statement: one line, no comments, capital keywords, plain quotes, no INSERT rows.
   * Throws the engine's syntax errors. Rejects when `signal` aborts.
   */
  async format(
    sql: string,
    settings: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<string> {
    const limit = Number(settings.get("max_query_size") ?? MAX_QUERY_SIZE);
    if (limit > 0 && Buffer.byteLength(sql) > limit) throw tooLong();
    return this.#alone(signal, () => this.#format(sql, settings));
  }

  async tableTest(select: string, signal: AbortSignal): Promise<(name: string) => boolean> {
    return this.#alone(signal, async () => {
      const tree = await this.#session.queryAsync(`EXPLAIN AST ${select}`, RAW);
      const functions = await this.#session.queryAsync(USER_FUNCTIONS, RAW);
      return tableTest(tree.text(), new Set(functions.text().split("\n")));
    });
  }

  close(): void {
    this.#session.close();
  }

  async #alone<T>(signal: AbortSignal, parse: () => Promise<T>): Promise<T> {
    const leave = await this.#admission.enter(signal, MAX_WAIT_MS);
    try {
      return await parse();
    } finally {
      leave();
    }
  }

  async #format(sql: string, settings: ReadonlyMap<string, string>): Promise<string> {
    const limits = Object.entries(LIMITS).flatMap(([name, most]) => {
      const value = settings.get(name);
      return value === undefined ? [] : [`${name} = ${quoted(capped(value, most))}`];
    });
    const text = `base64Decode('${Buffer.from(sql).toString("base64")}')`;
    const clause = limits.length === 0 ? "" : ` SETTINGS ${limits.join(", ")}`;
    const query = `SELECT formatQuerySingleLine(${text})${clause}`;
    try {
      const result = await this.#session.queryAsync(query, { format: "RawBLOB" });
      return result.text();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(message.replace(OUR_SCOPE, ""), { cause: error });
    }
  }
}

/** Limits a setting. The engine treats 0 as no limit and rejects non-numbers. */
function capped(value: string, most: number): string {
  const asked = Number(value);
  return asked === 0 || asked > most ? String(most) : value;
}

const tooLong = () =>
  exception(
    "SYNTAX_ERROR",
    "Max query size exceeded (can be increased with the `max_query_size` setting)",
  );
