import type { Session } from "chdb";
import { exception } from "./errors.ts";
import { quoted } from "./parameters.ts";
import type { Processes } from "./processes.ts";
import { MAX_STATEMENT_BYTES } from "./receive.ts";

/** Settings of a request that limit how its statement is read, besides `max_query_size`. */
const LIMITS = ["max_parser_depth", "max_parser_backtracks"] as const;
const MAX_QUERY_SIZE = 262_144;

/** Above the longest statement that is received, in Base64. */
const OUR_LIMIT = 2 * MAX_STATEMENT_BYTES;

/** An error names the statement of ours that it came from. */
const OUR_SCOPE = /: In scope SELECT formatQuerySingleLine[\s\S]*(?=\. \([A-Z_]+\)\s*$)/;

/** Reads statements with the engine's own parser. */
export class Parser {
  readonly #session: Session;
  #last: Promise<unknown> = Promise.resolve();

  constructor(processes: Processes) {
    // The statement is a literal of ours, which its own limit need not hold.
    this.#session = processes.connect([
      `--max_query_size=${OUR_LIMIT}`,
      "--implicit_select=0",
    ]).session;
  }

  /**
   * Returns a statement as the engine writes it: on one line, without comments, with keywords in
   * capitals, plain spaces and plain quotes. Rows of an INSERT are left out.
   * Throws the engine's syntax errors, also for an empty text and for several statements.
   */
  format(sql: string, settings: ReadonlyMap<string, string>): Promise<string> {
    const limit = Number(settings.get("max_query_size") ?? MAX_QUERY_SIZE);
    if (limit > 0 && Buffer.byteLength(sql) > limit) throw tooLong();
    const next = this.#last.then(() => this.#format(sql, settings));
    this.#last = next.catch(() => undefined);
    return next;
  }

  close(): void {
    this.#session.close();
  }

  async #format(sql: string, settings: ReadonlyMap<string, string>): Promise<string> {
    const limits = LIMITS.flatMap((name) => {
      const value = settings.get(name);
      return value === undefined ? [] : [`${name} = ${quoted(value)}`];
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

const tooLong = () =>
  exception(
    "SYNTAX_ERROR",
    "Max query size exceeded (can be increased with the `max_query_size` setting)",
  );
