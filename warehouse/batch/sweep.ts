import type { Database } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { messageTables } from "../sql.ts";

/** Values of the columns markers, is_typed and raw that a sweep leaves of a message. */
const LEFT = {
  erased: "['erased'], false, 'erased'",
  expired: "arrayPushBack(markers, 'expired'), is_typed, ''",
  session_expired: "arrayConcat(markers, ['expired', 'session_expired']), is_typed, ''",
} as const;

export type Sweep = keyof typeof LEFT;
export const SWEEPS = Object.keys(LEFT) as [Sweep, ...Sweep[]];

/**
 * Empties the messages in dm_internal.swept_message: each keeps its place as a row of its errors table, so that every
 * message still counts. Repeating it after a kill completes it.
 * @param db client of the lease's database, which has the drafts
 */
export async function sweepMessages(
  db: Database,
  sweep: Sweep,
  run: (sql: string) => Promise<void>,
): Promise<void> {
  const found = await db.rows<{ topic: string }>(
    "SELECT DISTINCT _topic AS topic FROM dm_internal.swept_message",
  );
  const streams = STREAMS.map(messageTables).filter((one) =>
    found.some(({ topic }) => topic === one.topic),
  );
  for (const one of streams) for (const sql of draftOf(one, sweep)) await run(sql);
  const tables = streams.flatMap(({ typed, errors }) => [typed, errors]);
  if (tables.length === 0) return;
  await run(`EXCHANGE TABLES ${tables.map((table) => `ods.${table} AND ${table}`).join(", ")}`);
  for (const name of tables.flatMap((table) => [draft(table), table])) {
    await run(`DROP TABLE ${name} SYNC SETTINGS max_table_size_to_drop = 0`);
  }
}

const draft = (table: string): string => `draft_${table}`;

const PLACE = "epoch, _topic, _partition, _offset, _timestamp, emitted_at, ingested_at, load_id";

function draftOf(
  { topic, typed, errors }: ReturnType<typeof messageTables>,
  sweep: Sweep,
): string[] {
  const isFound = `(epoch, _partition, _offset) IN (
    SELECT epoch, _partition, _offset FROM dm_internal.swept_message WHERE _topic = '${topic}')`;
  const tables = [typed, errors];
  return [
    ...tables.flatMap((table) => [
      `CREATE OR REPLACE TABLE ${draft(table)} CLONE AS ods.${table}`,
      // Rows that a deletion only marks are still in the files.
      `ALTER TABLE ${draft(table)} APPLY DELETED MASK SETTINGS mutations_sync = 2`,
      `ALTER TABLE ${draft(table)} DELETE WHERE ${isFound} SETTINGS mutations_sync = 2`,
    ]),
    `INSERT INTO ${draft(errors)} (markers, is_typed, raw, _key, ${PLACE})
     SELECT ${LEFT[sweep]}, '', ${PLACE}
     FROM (
       SELECT markers, true AS is_typed, ${PLACE} FROM ods.${typed}
       UNION ALL
       SELECT markers, is_typed, ${PLACE} FROM ods.${errors}
     )
     WHERE ${isFound}
     LIMIT 1 BY epoch, _partition, _offset`,
    // The clone of the clone leaves out the parts from before.
    ...tables.map((table) => `CREATE OR REPLACE TABLE ${table} CLONE AS ${draft(table)}`),
  ];
}
