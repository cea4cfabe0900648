import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../contract/ports.ts";
import { emptyStatement } from "../../contract/statement.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import type { ServerDatabase } from "../database/http.ts";
import { storeAgents } from "../import/agents.ts";
import { SLICES, typingOf } from "../import/events.ts";
import { createTables } from "../import/import.ts";
import { quoteName } from "../import/input.ts";
import { messagesOf } from "../import/messages.ts";
import { readSource, type Source } from "../import/source.ts";
import { startEpoch } from "../loader/stg-publisher.ts";
import { readAllSources, storeSource } from "../sources/stored.ts";
import { literal, readStatements, SQL_ROOT } from "../sql.ts";

/** Database of the workspace with what the delivery keeps. */
const HITS = "hits";

/** Name of the source in the reconciliation, and part of the ids that are derived. */
const NAME = "the collector";

/** A file of the journal (collector/journal.ts). */
export interface HitFile {
  readonly file: string;
  /** Number of the first hit. */
  readonly first: number;
}

/** Brings the hits of files into `stg`: each is mapped by the SELECT of its tracker, then like a row of an import. */
export class Delivery {
  readonly #db: Database;
  readonly #hits: ServerDatabase;
  readonly #epoch: number;
  /** Statements that type the hits of a tracker. */
  readonly #typing = new Map<string, string>();

  private constructor(db: Database, hits: ServerDatabase, epoch: number) {
    this.#db = db;
    this.#hits = hits;
    this.#epoch = epoch;
  }

  /** Prepares a database with the schema. It continues the epoch of earlier hits, unless the layers were emptied. */
  static async open(db: ServerDatabase): Promise<Delivery> {
    await db.run(`CREATE DATABASE IF NOT EXISTS ${HITS}`);
    const hits = db.inDatabase(HITS);
    await createTables(hits);
    for (const statement of readStatements("deliver/tables.sql")) await hits.run(statement);
    await hits.run(NAME_DATA_SET, { name: NAME });
    await hits.run(
      `CREATE OR REPLACE VIEW message_of_file AS ${STREAMS.map(messageOf).join(" UNION ALL ")}`,
    );
    const stored = [...(await readAllSources(db))];
    const [epoch] = stored.findLast(([, sources]) => sources.some(isCollector)) ?? [];
    return new Delivery(db, hits, epoch ?? (await startEpoch(db, "pipeline collect")));
  }

  /** Returns the number of the next hit. */
  async next(): Promise<number> {
    const [row] = await this.#hits.rows<{ next: number }>(
      "SELECT max(first_hit + hits) AS next FROM delivery",
    );
    return row?.next ?? 0;
  }

  /** Delivers a file. Repeating it after a failure or a kill gives the same rows. */
  async deliver({ file, first }: HitFile): Promise<void> {
    for (const table of OF_FILE) await this.#hits.run(`TRUNCATE TABLE ${table}`);
    await this.#hits.run(
      `INSERT INTO hit SELECT number, protocol, fromUnixTimestamp64Milli(received, 'UTC'), reason, body
       FROM file(${literal(file)}, JSONEachRow, 'number UInt64, protocol String, received Int64, reason String, body String')`,
    );
    const found = await this.#hits.rows<{ protocol: string }>(
      "SELECT DISTINCT protocol FROM hit WHERE reason = ''",
    );
    for (const { protocol } of found)
      await this.#hits.run(await this.#typingOf(protocol), { slices: SLICES });
    await storeAgents(this.#hits);
    const params = { epoch: this.#epoch, first_hit: first };
    for (const statement of readStatements("deliver/file.sql"))
      await this.#hits.run(statement, params);
    await this.store(false);
  }

  /** Stores what became of all hits. @param isFinal true if no more will come */
  async store(isFinal: boolean): Promise<void> {
    const [total] = await this.#hits.rows<Total>(TOTAL, { epoch: this.#epoch });
    if (total === undefined) throw new Error("a sum has one row");
    const { hits, events, rejected, skipped, messages } = total;
    const files = [{ path: "requests", rows: hits }];
    const statement = emptyStatement();
    for (const stream of STREAMS) statement.counts[stream] = messages[stream] ?? 0;
    const reasons = { equal: 0, repeated: 0, further: 0, rejected, skipped };
    const imported = { name: NAME, dir: "", files, events, ...reasons };
    await storeSource(this.#db, this.#epoch, {
      name: NAME,
      kind: "collector",
      statement,
      isFinal,
      imported,
    });
  }

  close(): Promise<void> {
    return this.#hits.close();
  }

  async #typingOf(protocol: string): Promise<string> {
    const known = this.#typing.get(protocol);
    if (known !== undefined) return known;
    const statement = await typingOf(this.#hits, { select: selectOf(protocol) });
    this.#typing.set(protocol, statement);
    return statement;
  }
}

const isCollector = ({ kind }: { readonly kind: string }): boolean => kind === "collector";

/** Tables whose rows are of one file. */
const OF_FILE = ["hit", "event", "repeated", "message", "earlier_session"];

const NAME_DATA_SET = `CREATE OR REPLACE TABLE data_set ENGINE = MergeTree ORDER BY name AS
  SELECT {name:String} AS name, []::Array(String) AS hosts, toUInt16(session_pause) AS session_pause FROM dm_internal.site`;

/** Returns the SELECT of a stream's messages as JSON, with their keys. */
function messageOf(stream: StreamName): string {
  const { topic, fields } = streams[stream];
  const names = Object.keys(fields).map((name) => `message.${name} AS ${name}`);
  // A location message has no session.
  const session = "click_id" in fields ? "message" : "session";
  const join = "LEFT ANY JOIN session_event AS session ON message.event_id = session.event_id";
  return `SELECT '${topic}' AS topic, message.number AS number, toString(${session}.click_id) AS key,
      formatRowNoNewline('JSONEachRow', ${names.join(", ")}) AS raw
    FROM (${messagesOf(stream, true)}) AS message ${session === "session" ? join : ""}`;
}

interface Total {
  readonly hits: number;
  readonly events: number;
  readonly rejected: Record<string, number>;
  readonly skipped: Record<string, number>;
  readonly messages: Partial<Record<StreamName, number>>;
}

/** The hits are counted by their numbers, which have no gap, and not by what was read of them. */
const TOTAL = `SELECT max(first_hit + hits) - min(first_hit) AS hits, sum(events) AS events, sumMap(rejected) AS rejected,
    sumMap(skipped) AS skipped, sumMap(messages) AS messages
  FROM delivery FINAL WHERE epoch = {epoch:UInt64}`;

/** Returns the SELECT of a tracker, whose table `input` has the keys of its hits as columns. */
function selectOf(protocol: string): string {
  const source = sourceOf(protocol);
  const keys = [...source.columns, ...source.optional].map(quoteName);
  const fields = keys.map((key) => `${key} String`).join(", ");
  return `WITH input AS (
    SELECT (0, number, sipHash128(number, body))::Tuple(file UInt16, number UInt64, content FixedString(16)) AS row, ${keys.map((key) => `field.${key} AS ${key}`).join(", ")}
    FROM (SELECT number, body, JSONExtract(body, 'Tuple(${fields})') AS field FROM hit WHERE protocol = ${literal(protocol)} AND reason = ''))
  SELECT * FROM (${source.select})`;
}

/** A tracker whose events have the form of an export shares its SELECT. */
function sourceOf(protocol: string): Source {
  const own = join(SQL_ROOT, "hits", `${protocol}.sql`);
  return readSource(existsSync(own) ? own : join(SQL_ROOT, "sources", `${protocol}.sql`));
}
