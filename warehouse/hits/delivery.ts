import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { type LoadedImport, rowsOf } from "../../contract/import-account.ts";
import type { SourceRecord } from "../../contract/source.ts";
import { addStatements, emptyStatement } from "../../contract/statement.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import type { ServerDatabase } from "../database/http.ts";
import { escapeTsv } from "../database/tsv.ts";
import { storeAgents } from "../import/agents.ts";
import { SLICES, typingOf } from "../import/events.ts";
import { createTables } from "../import/import.ts";
import { quoteName } from "../import/input.ts";
import { messagesOf } from "../import/messages.ts";
import { readSource, type Source } from "../import/source.ts";
import { literal, readStatements, SQL_ROOT } from "../sql.ts";
import { type Outlet, StgOutlet } from "./outlet.ts";

/** Database with what the delivery keeps. */
const HITS = "hits";

/** Name of the source for people, and part of the ids that are derived. */
const NAME = "the collector";

/** A file of the journal (collector/journal.ts). */
export interface HitFile {
  readonly file: string;
  /** Number of the first hit. */
  readonly first: number;
}

/** Turns the hits of files into messages: each is mapped by the SELECT of its tracker, then like a row of an import. */
export class Delivery {
  readonly #hits: ServerDatabase;
  readonly #outlet: Outlet;
  /** Statements that type the hits of a tracker. */
  readonly #typing = new Map<string, string>();

  private constructor(hits: ServerDatabase, outlet: Outlet) {
    this.#hits = hits;
    this.#outlet = outlet;
  }

  /** Prepares a database with the schema. */
  static async open(db: ServerDatabase, outlet: Outlet = new StgOutlet(db)): Promise<Delivery> {
    await db.run(`CREATE DATABASE IF NOT EXISTS ${HITS}`);
    const hits = db.inDatabase(HITS);
    await createTables(hits);
    for (const statement of readStatements("deliver/tables.sql")) await hits.run(statement);
    await hits.run(NAME_DATA_SET, { name: NAME });
    await hits.run(
      `CREATE OR REPLACE VIEW message_of_file AS ${STREAMS.map(messageOf).join(" UNION ALL ")}`,
    );
    return new Delivery(hits, outlet);
  }

  /** Returns the number of the next hit. */
  async next(): Promise<number> {
    const [row] = await this.#hits.rows<{ next: number }>(NEXT);
    return row?.next ?? 0;
  }

  /** Delivers a file. Repeating it after a failure or a kill sends no message twice. */
  async deliver({ file, first }: HitFile): Promise<void> {
    const data = await readFile(file);
    const digest = createHash("sha256").update(data).digest("hex");
    const { epoch, record } = await this.#outlet.sent();
    if (record?.journal?.file === digest) return;
    await this.#hits.run("TRUNCATE TABLE hit");
    await this.#hits.insertTsv("hit", COLUMNS, rowsIn(data));
    const [counted] = await this.#hits.rows<{ hits: number }>("SELECT count() AS hits FROM hit");
    const next = first + (counted?.hits ?? 0);
    const params = { epoch, first_hit: first };
    if (!(await this.#mapOrRefuse(params, first, next))) await this.#map(params, first, next);
    for (const statement of readStatements("deliver/keep.sql"))
      await this.#hits.run(statement, params);
    const [account] = await this.#hits.rows<FileAccount>(ACCOUNT);
    if (account === undefined) throw new Error("a sum has one row");
    await this.#outlet.send(
      this.#hits,
      recordAfter(record, account, { first, next, file: digest }),
    );
  }

  /** Ends the delivery after the last hit. */
  async close(): Promise<void> {
    await this.#outlet.close();
    await this.#hits.close();
  }

  /** Maps hits, or finds by halves those that the database refuses. They become bad. @returns true if it refuses none */
  async #mapOrRefuse(params: FileParams, from: number, to: number): Promise<boolean> {
    try {
      await this.#map(params, from, to);
      return true;
    } catch (error) {
      // The database is away.
      if (error instanceof UserError) throw error;
      const middle = Math.ceil((from + to) / 2);
      if (middle < to) {
        await this.#mapOrRefuse(params, from, middle);
        await this.#mapOrRefuse(params, middle, to);
      } else {
        // It is not the hit that fails if the database also fails without it: then the file waits.
        await this.#map(params, to, to);
        const reason = `the database refuses it: ${(error as Error).message.split("\n")[0]}`;
        await this.#hits.run(SET_ASIDE, { from, to, reason });
      }
      return false;
    }
  }

  /** Makes the messages of the hits with the numbers from `from` to below `to`. */
  async #map(params: FileParams, from: number, to: number): Promise<void> {
    for (const table of OF_FILE) await this.#hits.run(`TRUNCATE TABLE ${table}`);
    const found = await this.#hits.rows<{ protocol: string }>(
      "SELECT DISTINCT protocol FROM hit WHERE reason = ''",
    );
    for (const { protocol } of found)
      await this.#hits.run(await this.#typingOf(protocol), { slices: SLICES, from, to });
    await storeAgents(this.#hits);
    for (const statement of readStatements("deliver/map.sql"))
      await this.#hits.run(statement, params);
  }

  async #typingOf(protocol: string): Promise<string> {
    const known = this.#typing.get(protocol);
    if (known !== undefined) return known;
    const statement = await typingOf(
      this.#hits,
      { select: selectOf(protocol), site: "" },
      { from: 0, to: 0 },
    );
    this.#typing.set(protocol, statement);
    return statement;
  }
}

type FileParams = { readonly epoch: number; readonly first_hit: number };

/** Numbers never repeat, also after the outcomes have expired. */
const NEXT = `SELECT greatest(
  (SELECT ifNull(maxOrNull(number) + 1, 0) FROM outcome),
  (SELECT max(JSONExtractUInt(statement, 'journal', 'next')) FROM stg.manifest)) AS next`;

const COLUMNS = ["number", "protocol", "received", "reason", "body"];

/** Converts the lines of a file, which ClickHouse then reads whatever the hits contain. */
function* rowsIn(data: Buffer): Generator<Buffer> {
  for (let start = 0, end = 0; start < data.length; start = end) {
    end = data.indexOf("\n", start) + 1 || data.length;
    const hit = JSON.parse(data.toString("utf8", start, end));
    const values = [hit.number, hit.protocol, hit.received / 1000, hit.reason, hit.body];
    yield Buffer.from(`${values.map((value) => escapeTsv(String(value))).join("\t")}\n`);
  }
}

const IS_MAPPED = "reason = '' AND number >= {from:UInt64} AND number < {to:UInt64}";

const SET_ASIDE = `ALTER TABLE hit UPDATE reason = {reason:String} WHERE ${IS_MAPPED} SETTINGS mutations_sync = 1`;

/** Tables whose rows are of one file. */
const OF_FILE = ["event", "repeated", "message", "earlier_session"];

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

/** What became of the hits of a file. */
interface FileAccount {
  readonly events: number;
  readonly rejected: Record<string, number>;
  readonly skipped: Record<string, number>;
  readonly messages: Partial<Record<StreamName, number>>;
}

const ACCOUNT = `SELECT countIf(reason = '') AS events,
    sumMapIf(map(extract(reason, '^[^:]*'), toUInt64(1)), is_bad) AS rejected,
    sumMapIf(map(toString(reason), toUInt64(1)), NOT is_bad AND reason != '') AS skipped,
    (SELECT sumMap(map(replaceOne(topic, '_events', ''), toUInt64(1))) FROM message) AS messages
  FROM outcome FINAL WHERE number IN (SELECT number FROM hit)`;

interface Delivered {
  readonly first: number;
  readonly next: number;
  readonly file: string;
}

/** Adds a file to the record. The hits are counted by their numbers, which have no gap, and not by what was read of them. */
function recordAfter(
  before: SourceRecord | undefined,
  { events, rejected, skipped, messages }: FileAccount,
  { first, next, file }: Delivered,
): SourceRecord {
  const statement = emptyStatement();
  for (const stream of STREAMS) statement.counts[stream] = messages[stream] ?? 0;
  const { imported = NOTHING, journal, statement: sent = emptyStatement() } = before ?? {};
  // A journal that got lost begins again below.
  const from = Math.min(first, journal?.next ?? first);
  const rows = rowsOf(imported) + next - from;
  return {
    kind: "collector",
    statement: addStatements([sent, statement]),
    isFinal: false,
    imported: {
      ...imported,
      files: [{ path: "requests", rows }],
      events: imported.events + events,
      rejected: addReasons(imported.rejected, rejected),
      skipped: addReasons(imported.skipped, skipped),
    },
    journal: { next, file },
  };
}

const NOTHING: LoadedImport = {
  ...{ name: NAME, dir: "", files: [], events: 0 },
  ...{ equal: 0, repeated: 0, further: 0, rejected: {}, skipped: {} },
};

type Reasons = Readonly<Record<string, number>>;

function addReasons(before: Reasons, more: Reasons): Reasons {
  const sums: Record<string, number> = { ...before };
  for (const [reason, hits] of Object.entries(more)) sums[reason] = (sums[reason] ?? 0) + hits;
  return sums;
}

/** Returns the SELECT of a tracker, whose table `input` has the keys of its hits as columns. */
function selectOf(protocol: string): string {
  const source = sourceOf(protocol);
  const keys = [...source.columns, ...source.optional].map(quoteName);
  const fields = keys.map((key) => `${key} String`).join(", ");
  return `WITH input AS (
    SELECT (0, number, sipHash128(number, body))::Tuple(file UInt16, number UInt64, content FixedString(16)) AS row, ${keys.map((key) => `field.${key} AS ${key}`).join(", ")}
    FROM (SELECT number, body, JSONExtract(body, 'Tuple(${fields})') AS field FROM hit WHERE protocol = ${literal(protocol)} AND ${IS_MAPPED}))
  SELECT * FROM (${source.select})`;
}

/** A tracker whose events have the form of an export shares its SELECT. */
function sourceOf(protocol: string): Source {
  const own = join(SQL_ROOT, "hits", `${protocol}.sql`);
  return readSource(existsSync(own) ? own : join(SQL_ROOT, "sources", `${protocol}.sql`));
}
