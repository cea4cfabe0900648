import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { DatabaseError } from "../../../contract/errors.ts";
import type { Database, Params } from "../../../contract/ports.ts";
import { replaceMethods } from "../../support/replace-methods.ts";

/** ClickHouse 24.8 (PyPI `chdb` 3.2.0) as a Database: older than every supported series. */
export class OlderEngine implements Database {
  readonly label = "ClickHouse 24.8 in a Python process";
  readonly #directory: string;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #replies: AsyncIterator<string>;
  readonly #lines: Interface;

  constructor(python: string, directory: string) {
    this.#directory = directory;
    const script = join(import.meta.dirname, "engine.py");
    this.#process = spawn(python, [script, directory]);
    this.#process.stderr.pipe(process.stderr);
    this.#lines = createInterface({ input: this.#process.stdout });
    this.#replies = this.#lines[Symbol.asyncIterator]();
  }

  async rows<T>(sql: string, params: Params = {}): Promise<T[]> {
    const text = await this.#ask(sql, params, "JSONEachRow");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as T);
  }

  async run(sql: string, params: Params = {}): Promise<void> {
    await this.#ask(sql, params, "Null");
  }

  async insertTsv(table: string, columns: readonly string[], data: AsyncIterable<Buffer>) {
    const structure = await this.#structure(table, columns);
    // The engine would read inline data from standard input, which carries the requests.
    for await (const chunk of data) {
      const file = join(this.#directory, "insert.tsv");
      writeFileSync(file, chunk);
      await this.run(
        `INSERT INTO ${table} (${columns.join(", ")})
         SELECT * FROM file({file:String}, 'TSV', {structure:String})`,
        { file, structure },
      );
    }
  }

  async #structure(table: string, columns: readonly string[]): Promise<string> {
    const rows = await this.rows<{ name: string; type: string }>(
      "SELECT name, type FROM system.columns WHERE concat(database, '.', table) = {table:String}",
      { table },
    );
    const types = new Map(rows.map(({ name, type }) => [name, type]));
    return columns.map((column) => `${column} ${types.get(column)}`).join(", ");
  }

  /** Statements name their databases, so the connection is shared. */
  inDatabase(): Database {
    return replaceMethods(this, {});
  }

  async close(): Promise<void> {
    this.#process.stdin.end();
    if (this.#process.exitCode === null) await once(this.#process, "exit");
    this.#lines.close();
  }

  async #ask(sql: string, params: Params, format: string): Promise<string> {
    const texts = Object.entries(params).map(([name, value]) => [name, escapeParam(textOf(value))]);
    const request = { sql: sql.replace(/;\s*$/, ""), format, params: Object.fromEntries(texts) };
    this.#process.stdin.write(`${JSON.stringify(request)}\n`);
    const { value } = await this.#replies.next();
    if (value === undefined) throw new Error("the older engine ended");
    const reply = JSON.parse(value) as { text?: string; error?: string };
    if (reply.error === undefined) return reply.text ?? "";
    throw new DatabaseError(reply.error, Number(/Code: (\d+)\./.exec(reply.error)?.[1]));
  }
}

/** Writes a list of texts, a map of such lists, or any other value, as a parameter. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => `'${one}'`).join(",")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  return `{${Object.entries(value).map(([key, list]) => `'${key}':${textOf(list)}`)}}`;
}

/** A parameter has the TSV form inside a SQL string, so it is escaped twice. */
const escapeParam = (text: string): string =>
  text.replaceAll("\\", "\\\\\\\\").replaceAll("'", "\\'");
