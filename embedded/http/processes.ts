import { randomUUID } from "node:crypto";
import type { Session } from "chdb";
import type { EmbeddedEngine } from "../engine.ts";
import { exception } from "./errors.ts";
import { quoted } from "./parameters.ts";
import { RunningStatement } from "./running-statement.ts";

/** Prefix of the log comment of internal statements, which clients may not kill. */
const OWN = "http-own:";

export class Processes {
  readonly #engine: EmbeddedEngine;
  readonly #control: Session;
  readonly #byQueryId = new Map<string, RunningStatement>();

  constructor(engine: EmbeddedEngine) {
    this.#engine = engine;
    this.#control = this.connect().session;
  }

  connect(engineArguments: readonly string[] = []): { session: Session; token: string } {
    const token = OWN + randomUUID();
    const session = this.#engine.connect([...engineArguments, `--log_comment=${token}`]);
    return { session, token };
  }

  /** Reserves a query id for the connection `token` until `end` is called. */
  begin(
    queryId: string,
    token: string,
    reads: boolean,
  ): { running: RunningStatement; end: () => void } {
    if (this.#byQueryId.has(queryId)) {
      throw exception(
        "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING",
        `Query with id = ${queryId} is already running`,
      );
    }
    const running = new RunningStatement(token, reads, () => this.kill(isQueryOf(token)));
    this.#byQueryId.set(queryId, running);
    const end = () => {
      this.#byQueryId.delete(queryId);
      running.end();
    };
    return { running, end };
  }

  stop(): void {
    for (const running of this.#byQueryId.values()) running.stop();
  }

  current(): readonly RunningStatement[] {
    return [...this.#byQueryId.values()];
  }

  /** Kills statements, synchronously so that no connection or result changes in between. */
  kill(condition: string): void {
    try {
      this.#control.query(
        `KILL QUERY WHERE (${condition}) AND ${EXCLUDE_INTERNAL_QUERIES} ASYNC`,
        "Null",
      );
    } catch {
      // A failed KILL is not fatal, because `RunningStatement` repeats it.
    }
  }

  engineId(queryId: string): string | undefined {
    const running = this.#byQueryId.get(queryId);
    if (!running) return undefined;
    const sql = `SELECT query_id FROM system.processes WHERE ${isQueryOf(running.token)}`;
    return this.#control.query(sql, "TabSeparatedRaw").trim() || running.token;
  }

  close(): void {
    this.#control.close();
  }
}

export const EXCLUDE_INTERNAL_QUERIES = `NOT startsWith(Settings['log_comment'], '${OWN}')`;

export const isOfClient = (token: string): boolean => token.startsWith("http:");

export const isQueryOf = (token: string): string => `Settings['log_comment'] = ${quoted(token)}`;
