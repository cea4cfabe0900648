import type { Database } from "../../contract/ports.ts";
import { formatNumber } from "../../terminal/format.ts";
import { hintToRun } from "../database/command.ts";

/** What has left the layers, because it is older than they keep. */
export interface Expiry {
  readonly messages: number;
  /** Messages that came after their session had left ods. */
  readonly late: number;
  /** Sessions that have left dds and dm. */
  readonly sessions: number;
  /** Days from which ods, and dds and dm, have everything. */
  readonly ods_from: string;
  readonly dm_from: string;
  readonly is_open: number;
}

/** Returns undefined if nothing has expired. */
export async function readExpiry(db: Database): Promise<Expiry | undefined> {
  const [found] = await db.rows<Expiry>(
    `SELECT count() AS messages, countIf(has(markers, 'session_expired')) AS late,
       (SELECT sum(sessions) FROM dds.expiry FINAL) AS sessions,
       (SELECT toString(toDate(max(ods_before))) FROM dds.expiry) AS ods_from,
       (SELECT toString(toDate(max(dm_before))) FROM dds.expiry) AS dm_from,
       (SELECT count() FROM dds.expiry FINAL WHERE finished_at IS NULL) AS is_open
     FROM merge('ods', '_event_errors$') WHERE has(markers, 'expired')`,
  );
  return found && found.messages + found.sessions + found.is_open > 0 ? found : undefined;
}

/** Says what has expired, for a reconciliation. */
export function expiryNotes(db: Database, found: Expiry | undefined): string[] {
  if (!found) return [];
  const { messages, late, sessions, ods_from, dm_from, is_open } = found;
  const came = late > 0 ? `; ${formatNumber(late, "message")} came later, and are not in dds` : "";
  return [
    `Expired: ${formatNumber(messages, "message")} of sessions that ended before ${ods_from}, which count as before${came}. Defects are not scored.`,
    ...(sessions > 0
      ? [`${formatNumber(sessions, "session")} that ended before ${dm_from} left dds and dm.`]
      : []),
    ...(is_open ? [`An expiry did not end: ${hintToRun(db, "transform", "make transform")}.`] : []),
  ];
}
