import type { Database, Params } from "../../../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../../../contract/streams.ts";
import { readPlan } from "../../batch/plan.ts";
import { columnsOf } from "../../schema/differences.ts";
import { messageTables, readQuery } from "../../sql.ts";
import { inSlice } from "./digest.ts";

/** Layers whose tables agree and may be read instead of recomputed. */
export interface VerifiedLayers {
  readonly ods: boolean;
  readonly dds: boolean;
}

/** SQL condition of expired messages per stream; `false` for a stream without expired messages. */
export type ExpiredConditions = Readonly<Record<StreamName, string>>;

export function ruleParams(): Params {
  const { late_after_seconds, skew_after_seconds, idle_after_seconds } = readPlan().params;
  return { late_after_seconds, skew_after_seconds, idle_after_seconds };
}

interface Cut {
  readonly epoch: number | string;
  readonly part: number;
  readonly first_offset: number | string | null;
}

/** Finds messages past stg's time to live, which only ods has. */
export async function findExpired(db: Database): Promise<ExpiredConditions> {
  const expired = { browser: "false", location: "false", device: "false", geo: "false" };
  for (const stream of STREAMS) {
    const { topic } = messageTables(stream);
    const cuts = await db.rows<Cut>(readQuery("checks/deep/cut.sql"), { stream, topic });
    if (cuts.length > 0) expired[stream] = expiredRows(stream, cuts);
  }
  return expired;
}

function expiredRows(stream: StreamName, cuts: readonly Cut[]): string {
  const below = cuts.map(({ epoch, part, first_offset }) => {
    const partition = `epoch = ${epoch} AND _partition = ${part}`;
    return first_offset === null
      ? `(${partition})`
      : `(${partition} AND _offset < ${first_offset})`;
  });
  return `((epoch, _partition, load_id) IN
    (
        SELECT epoch, _partition, load_id FROM ods.load_range
        WHERE stream = '${stream}' AND load_id IN (SELECT load_id FROM ods.load_commit)
    )
    AND ingested_at < now() - INTERVAL 30 DAY
    AND (${below.join(" OR ")}))`;
}

export const messages = (stream: StreamName): string =>
  `(${readQuery(`checks/deep/message_${stream}.sql`)})`;

/** Rows of an ods table without those of an interrupted load. */
export const COUNTED_ROWS = `load_id NOT IN
    (SELECT load_id FROM ods.load_range WHERE load_id NOT IN (SELECT load_id FROM ods.load_commit))`;

/** Order of duplicates: the latest epoch, then the lowest position. */
const POSITION = `toUInt128(bitNot(epoch)) * toUInt128('18446744073709551616')
            + toUInt64(_partition) * 281474976710656 + toUInt64(_offset) AS position`;

function typedMessages(isProved: boolean, expired: ExpiredConditions, isSliced = false): string {
  const messages = STREAMS.map((stream) => {
    const typed = isProved ? storedMessages(stream) : recomputedMessages(stream, expired[stream]);
    return `${stream} AS
    (
        SELECT *, ${POSITION},
            transform(load_id, integrated.1, integrated.2, toUInt64(0)) AS dds_load
        FROM (${typed})
        WHERE dds_load > 0${isSliced && "event_id" in streams[stream].fields ? ` AND ${inSlice("event_id")}` : ""}
    )`;
  });
  const loads = `(SELECT (loads, dds_loads) FROM (${readQuery("checks/deep/loads.sql")})) AS integrated`;
  return [loads, ...messages].join(",\n");
}

const storedMessages = (stream: StreamName): string =>
  `SELECT * FROM ods.${messageTables(stream).typed} WHERE load_id IN (SELECT load_id FROM ods.load_commit)`;

function recomputedMessages(stream: StreamName, expired: string): string {
  const table = `ods.${messageTables(stream).typed}`;
  const columns = columnsOf(table)
    .map(({ name }) => name)
    .join(", ");
  const held = `SELECT ${columns} FROM ${messages(stream)} WHERE is_typed`;
  if (expired === "false") return held;
  return `${held} UNION ALL SELECT DISTINCT ${columns} FROM ${table} WHERE ${expired}`;
}

export const eventPrelude = (proved: VerifiedLayers, expired: ExpiredConditions): string =>
  typedMessages(proved.ods, expired, true);

export const clickPrelude = (proved: VerifiedLayers, expired: ExpiredConditions): string =>
  typedMessages(proved.ods, expired);

export function dmPrelude(proved: VerifiedLayers, expired: ExpiredConditions): string {
  if (proved.dds) return "event AS (SELECT * FROM dds.event), click AS (SELECT * FROM dds.click)";
  const event = readQuery("checks/deep/event.sql");
  const click = readQuery("checks/deep/click.sql");
  return `${typedMessages(proved.ods, expired)},\nevent AS (${event}),\nclick AS (${click})`;
}
