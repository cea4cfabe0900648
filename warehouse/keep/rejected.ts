import { readFileSync } from "node:fs";
import { DatabaseError, UserError } from "../../contract/errors.ts";
import type { Database, ReadableDatabase, StreamBatch } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { readPlan } from "../batch/plan.ts";
import { splitStatements } from "../sql.ts";
import { typingOf, typingParams } from "../typing.ts";

export interface RejectedLine {
  readonly stream: StreamName;
  readonly reason: string;
  readonly messages: number;
  readonly repaired: number;
  /** Beginnings of some payloads. */
  readonly samples: readonly string[];
}

/** Counts the rejected messages by stream and reason. */
export const readRejected = (db: ReadableDatabase, samples: number): Promise<RejectedLine[]> =>
  db.rows<RejectedLine>(
    `SELECT stream, error_reason AS reason, count() AS messages, countIf(is_repaired) AS repaired,
       arraySlice(groupArray(5)(toValidUTF8(left(raw, 500))), 1, {samples:UInt8}) AS samples
     FROM ods.v_rejected GROUP BY stream, reason ORDER BY messages DESC, stream, reason`,
    { samples },
  );

/** Reads the SELECT of repairs. @throws UserError if the file cannot be read, or is not one statement */
export function readSelect(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(
      `${file} cannot be read: ${(error as Error).message}`,
      "name a file of SQL",
    );
  }
  const [select, ...more] = splitStatements(text);
  if (select !== undefined && more.length === 0) return select;
  throw new UserError(
    `${file} has ${more.length + (select ? 1 : 0)} statements. Allowed: one SELECT`,
    FORM,
  );
}

const FORM =
  "write it like SELECT *, trim(raw) AS repaired FROM ods.v_rejected WHERE stream = 'geo'";

/**
 * Runs a SELECT once, as the user who only reads, and keeps the payloads it gives in the table `repair` of the lease: what is
 * tried and what is sent are the same.
 * @throws UserError if the database refuses it, or a message has several payloads
 */
export async function fixRepairs(
  held: Database,
  db: ReadableDatabase,
  select: string,
): Promise<void> {
  const rows = await run(() =>
    db.read(`SELECT ${COLUMNS} FROM (\n${select}\n) WHERE ${IS_GIVEN}`, "TSV"),
  );
  await held.run(`CREATE OR REPLACE TABLE repair (${COLUMN_TYPES}) ENGINE = Memory`);
  const lines = rows.length > 0 ? [rows] : [];
  await held.insertTsv("repair", COLUMNS.split(", "), lines);
  const [found] = await held.rows<{ several: number }>(SEVERAL);
  if (found?.several === 0) return;
  throw new UserError(
    `The SELECT gives several payloads for each of ${found?.several} messages. Allowed: one`,
    "add a condition, or DISTINCT",
  );
}

const COLUMNS = "_topic, epoch, _partition, _offset, repaired";
const COLUMN_TYPES =
  "_topic String, epoch UInt64, _partition Int32, _offset Int64, repaired String";
const IS_GIVEN = "repaired IS NOT NULL";
const SEVERAL = `SELECT count() AS several FROM
  (SELECT 1 FROM repair GROUP BY _topic, epoch, _partition, _offset HAVING uniqExact(repaired) > 1)`;

export interface TriedRepairs {
  readonly stream: StreamName;
  /** Why messages stay rejected; empty for those that pass. */
  readonly reason: string;
  readonly messages: number;
  /** Beginning of a new payload. */
  readonly sample: string;
}

/** Types the fixed payloads, as the next load would, without sending them. */
export async function tryRepairs(held: Database): Promise<TriedRepairs[]> {
  const lines: TriedRepairs[] = [];
  for (const stream of STREAMS) {
    const found = await ofStream<Omit<TriedRepairs, "stream">>(held, stream, OUTCOMES);
    lines.push(...found.map((line) => ({ stream, ...line })));
  }
  return lines;
}

export type Repairs = Readonly<Record<StreamName, Required<StreamBatch>>>;

/** Reads the next fixed payloads that pass, in the order of the rejected messages. */
export async function readRepairs(held: Database, limit: number): Promise<Repairs> {
  const batches: Partial<Record<StreamName, Required<StreamBatch>>> = {};
  for (const stream of STREAMS) {
    const rows = await ofStream<Repair>(held, stream, `${REPAIRS} LIMIT ${limit}`);
    batches[stream] = {
      keys: rows.map(({ _key }) => (_key === "" ? null : _key)),
      values: rows.map(({ raw }) => raw),
      emittedAt: rows.map(({ emitted }) => emitted),
      repairs: rows.map(({ repairs }) => repairs),
    };
  }
  return batches as Repairs;
}

interface Repair {
  readonly raw: string;
  readonly _key: string;
  readonly emitted: number | null;
  readonly repairs: string;
}

const REPAIRS = `SELECT raw, _key, toUnixTimestamp64Micro(emitted_at) AS emitted,
  concat(toString(epoch), '/', toString(_partition), '/', toString(_offset)) AS repairs
FROM checked WHERE is_typed ORDER BY epoch, _partition, _offset`;

const OUTCOMES = `SELECT
  if(is_typed, '', arrayStringConcat(arrayMap(bit -> marker_names[bit + 1], bitPositionsToArray(marks)), ',')) AS reason,
  count() AS messages,
  toValidUTF8(left(argMin(raw, (epoch, _partition, _offset)), 500)) AS sample
FROM checked GROUP BY reason ORDER BY reason`;

const ofStream = <T>(held: Database, stream: StreamName, result: string): Promise<T[]> =>
  run(() =>
    held.rows<T>(typingOf(stream, REPAIRED, result), {
      ...readPlan().params,
      ...typingParams(stream),
    }),
  );

async function run<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new UserError(`The database refused the SELECT: ${error.message.split("\n")[0]}`, FORM);
  }
}

/** Rejected messages of a topic, with the fixed payloads. */
const REPAIRED = `SELECT *
  FROM (SELECT * EXCEPT (raw) FROM ods.v_rejected WHERE _topic = {topic:String} AND NOT is_repaired) AS rejected
  INNER JOIN
  (
    SELECT DISTINCT epoch, _partition, _offset, repaired AS raw FROM repair WHERE _topic = {topic:String}
  ) AS repaired USING (epoch, _partition, _offset)`;
