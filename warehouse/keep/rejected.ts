import { readFileSync } from "node:fs";
import { DatabaseError, UserError } from "../../contract/errors.ts";
import type { ReadableDatabase, StreamBatch } from "../../contract/ports.ts";
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

export interface TriedRepairs {
  readonly stream: StreamName;
  /** Why messages stay rejected; empty for repaired ones. */
  readonly reason: string;
  readonly messages: number;
}

/** Types the messages of a SELECT, as the next load would, without sending them. */
export async function tryRepairs(db: ReadableDatabase, select: string): Promise<TriedRepairs[]> {
  const lines: TriedRepairs[] = [];
  for (const stream of STREAMS) {
    const found = await ofStream<Omit<TriedRepairs, "stream">>(db, stream, select, OUTCOMES);
    lines.push(...found.map((line) => ({ stream, ...line })));
  }
  return lines;
}

export type Repairs = Readonly<Record<StreamName, Required<StreamBatch>>>;

/** Reads the next messages that a SELECT repairs, in the order of the rejected ones. */
export async function readRepairs(
  db: ReadableDatabase,
  select: string,
  limit: number,
): Promise<Repairs> {
  const batches: Partial<Record<StreamName, Required<StreamBatch>>> = {};
  for (const stream of STREAMS) {
    const rows = await ofStream<Repair>(db, stream, select, `${REPAIRS} LIMIT ${limit}`);
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
  count() AS messages
FROM checked GROUP BY reason ORDER BY reason`;

async function ofStream<T>(
  db: ReadableDatabase,
  stream: StreamName,
  select: string,
  result: string,
): Promise<T[]> {
  const params = { ...readPlan().params, ...typingParams(stream) };
  try {
    const lines = await db.read(typingOf(stream, repaired(select), result), "JSONEachRow", params);
    return lines
      .toString()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new UserError(`The database refused the SELECT: ${error.message.split("\n")[0]}`, FORM);
  }
}

/** Returns the SELECT of rejected messages of a topic with the payloads of another SELECT. */
const repaired = (select: string): string =>
  `SELECT *
  FROM (SELECT * EXCEPT (raw) FROM ods.v_rejected WHERE _topic = {topic:String} AND NOT is_repaired) AS rejected
  INNER JOIN
  (
    SELECT epoch, _partition, _offset, repaired AS raw
    FROM (
${select}
    )
    WHERE _topic = {topic:String}
    LIMIT 1 BY epoch, _partition, _offset
  ) AS repaired USING (epoch, _partition, _offset)`;
