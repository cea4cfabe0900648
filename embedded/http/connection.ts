import { randomUUID } from "node:crypto";
import type { ChdbQueryStream, ChdbResult, Session } from "chdb";
import { discardOutput, type EmbeddedEngine } from "../engine.ts";
import { type QueryParameters, quoted, setStatement } from "./parameters.ts";

/** Settings with other defaults in the library than in a server. */
const AS_A_SERVER = ["--implicit_select=0", "--allow_introspection_functions=0"];

/** Timeouts that end `url` and `s3` after 30 s, because a wait for a host cannot be stopped. */
const NETWORK_TIMEOUTS = [
  "--http_connection_timeout=5",
  "--http_send_timeout=10",
  "--http_receive_timeout=10",
  "--http_max_tries=2",
  "--s3_request_timeout_ms=10000",
  "--s3_retry_attempts=2",
];

/** Connection for one request at a time; settings are reset between requests. */
export class Connection {
  readonly token = `http:${randomUUID()}`;
  /** False after a SET in the session that makes results impossible to stream. */
  streams = true;
  readonly #session: Session;
  #database = "default";
  #ownDatabase = "default";
  /** Previous values of the last request's settings; undefined for the default. */
  readonly #before = new Map<string, string | undefined>();
  #used = false;

  constructor(engine: EmbeddedEngine) {
    const comment = `--log_comment=${this.token}`;
    this.#session = engine.connect([...AS_A_SERVER, ...NETWORK_TIMEOUTS, comment]);
  }

  async query(sql: string, format: string): Promise<ChdbResult> {
    try {
      return await this.#session.queryAsync(sql, { format });
    } catch (error) {
      await discardOutput(this.#session);
      throw error;
    }
  }

  /** Streams a result. Throws at once for a statement that cannot be streamed. */
  stream(sql: string, format: string): ChdbQueryStream {
    return this.#session.queryStream(sql, { format });
  }

  /** Sets database and settings; calls `load` before `readonly` forbids writes. */
  async prepare(parameters: QueryParameters, load: () => Promise<void>): Promise<void> {
    await this.#useDatabase(parameters.database ?? this.#ownDatabase);
    const { readonly, ...settings } = Object.fromEntries(parameters.settings);
    if (this.#used) await this.#restore(parameters.settings);
    if (parameters.session) await this.#remember([...parameters.settings.keys()]);
    this.#used = true;
    await this.#set([...parameters.bindings, ...Object.entries(settings)]);
    await load();
    if (readonly !== undefined) await this.#set([["readonly", readonly]]);
  }

  async adoptDatabase(): Promise<void> {
    const result = await this.query("SELECT currentDatabase()", "TabSeparatedRaw");
    this.#database = result.text().replace(/\n$/, "");
    this.#ownDatabase = this.#database;
  }

  async discardOutput(): Promise<void> {
    await discardOutput(this.#session);
  }

  close(): void {
    this.#session.close();
  }

  async #set(values: Iterable<readonly [string, string]>): Promise<void> {
    const set = setStatement(values);
    if (set !== undefined) await this.query(set, "Null");
  }

  async #useDatabase(name: string): Promise<void> {
    if (name === this.#database) return;
    await this.query(`USE \`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``, "Null");
    this.#database = name;
  }

  async #restore(keep: ReadonlyMap<string, string>): Promise<void> {
    const back = [...this.#before].filter(([name]) => !keep.has(name));
    if (back.length === 0) return;
    const changes = back.map(([name, value]) => `${name} = ${value ?? "DEFAULT"}`);
    await this.query(`SET ${changes.join(", ")}`, "Null");
    for (const [name] of back) this.#before.delete(name);
  }

  async #remember(names: readonly string[]): Promise<void> {
    const fresh = names.filter((name) => !this.#before.has(name));
    if (fresh.length === 0) return;
    const result = await this.query(
      `SELECT name, value, changed FROM system.settings WHERE name IN (${fresh.map(quoted)})`,
      "JSONCompactEachRow",
    );
    for (const row of result.text().split("\n").filter(Boolean)) {
      const [name, value, changed] = JSON.parse(row) as [string, string, number];
      this.#before.set(name, changed === 1 ? quoted(value) : undefined);
    }
  }
}
