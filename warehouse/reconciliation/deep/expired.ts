import type { Database } from "../../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../../contract/streams.ts";
import { messageTables, readQuery } from "../../sql.ts";

/** SQL condition of expired messages per stream; `false` for a stream without expired messages. */
export type ExpiredConditions = Readonly<Record<StreamName, string>>;

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
