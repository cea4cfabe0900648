import type { Session } from "chdb";
import type { EmbeddedEngine } from "../engine.ts";
import { exception } from "./errors.ts";
import { tokens } from "./lexer.ts";
import { quoted } from "./parameters.ts";

/** Queries under way by the ids their clients gave them, and the means to end them. */
export class Processes {
  readonly #engine: EmbeddedEngine;
  readonly #control: Session;
  readonly #running = new Map<string, string>();

  constructor(engine: EmbeddedEngine) {
    this.#engine = engine;
    this.#control = engine.connect();
  }

  /** Claims a query id for the connection named by `token`. Returns the function that frees it. */
  begin(queryId: string, token: string): () => void {
    if (this.#running.has(queryId)) {
      throw exception(
        "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING",
        `Query with id = ${queryId} is already running`,
      );
    }
    this.#running.set(queryId, token);
    return () => this.#running.delete(queryId);
  }

  /** Asks the engine to stop what a connection runs; its query then fails by itself. */
  kill(token: string): void {
    this.#run(`KILL QUERY WHERE ${isQueryOf(token)} ASYNC`, "Null");
  }

  killAll(): void {
    for (const token of this.#running.values()) this.kill(token);
  }

  /**
   * Runs a KILL QUERY of a client, past the queue that the query to kill may block. The engine
   * knows queries by ids of its own, so ids of clients are put in its terms first. With SYNC it
   * waits for the killed query, so it has a thread and a connection of its own.
   */
  async runKill(sql: string, format: string): Promise<Uint8Array> {
    let text = "";
    let from = 0;
    for (const { kind, start, end } of tokens(sql)) {
      const token = kind === "string" && this.#running.get(sql.slice(start + 1, end - 1));
      if (!token) continue;
      text += sql.slice(from, start) + quoted(this.#engineId(token));
      from = end;
    }
    const session = this.#engine.connect();
    try {
      return (await session.queryAsync(text + sql.slice(from), { format })).bytes();
    } finally {
      session.close();
    }
  }

  close(): void {
    this.#control.close();
  }

  #engineId(token: string): string {
    const sql = `SELECT query_id FROM system.processes WHERE ${isQueryOf(token)}`;
    return this.#run(sql, "TabSeparatedRaw").trim() || token;
  }

  /** On the main thread: it takes a moment, and must not wait for a thread that a query holds. */
  #run(sql: string, format: string): string {
    return this.#control.query(sql, format);
  }
}

const isQueryOf = (token: string): string => `Settings['log_comment'] = ${quoted(token)}`;
