import { randomUUID } from "node:crypto";
import type { Session } from "chdb";
import type { EmbeddedEngine } from "../engine.ts";
import { exception } from "./errors.ts";
import { quoted } from "./parameters.ts";
import { Running } from "./running.ts";

/** In the log comment of the interface's own statements, which no client may end. */
const OWN = "http-own:";

export class Processes {
  readonly #engine: EmbeddedEngine;
  readonly #control: Session;
  readonly #byQueryId = new Map<string, Running>();

  constructor(engine: EmbeddedEngine) {
    this.#engine = engine;
    this.#control = this.connect().session;
  }

  connect(engineArguments: readonly string[] = []): { session: Session; token: string } {
    const token = OWN + randomUUID();
    const session = this.#engine.connect([...engineArguments, `--log_comment=${token}`]);
    return { session, token };
  }

  /** Reserves a query id for the connection named by `token`, until `end` is called. */
  begin(queryId: string, token: string, reads: boolean): { running: Running; end: () => void } {
    if (this.#byQueryId.has(queryId)) {
      throw exception(
        "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING",
        `Query with id = ${queryId} is already running`,
      );
    }
    const running = new Running(token, reads, () => this.kill(isQueryOf(token)));
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

  current(): readonly Running[] {
    return [...this.#byQueryId.values()];
  }

  /** Synchronous, so that no connection opens or closes and no result starts meanwhile. */
  kill(condition: string): void {
    try {
      this.#control.query(`KILL QUERY WHERE (${condition}) AND ${NOT_OWN} ASYNC`, "Null");
    } catch {
      // A failed KILL is not fatal: statements that keep running are asked again.
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

export const NOT_OWN = `NOT startsWith(Settings['log_comment'], '${OWN}')`;

export const isOfClient = (token: string): boolean => token.startsWith("http:");

export const isQueryOf = (token: string): string => `Settings['log_comment'] = ${quoted(token)}`;
