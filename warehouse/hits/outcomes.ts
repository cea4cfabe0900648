import type { HitOutcome } from "../../contract/hit-outcome.ts";
import type { ServerDatabase } from "../database/http.ts";

const FILTERS = { good: "NOT is_bad", bad: "is_bad" } as const;

/** What the page of hits shows every other second: no more than the beginnings of texts, which may be of 1 MB each. */
const SHOWN = `number, protocol, toString(received) AS received, is_bad, reason,
  concat(JSONExtractString(event, 'event_type'), ' ', JSONExtractString(location, 'page_url_path')) AS title,
  ${["body", "event", "location"].map((name) => `leftUTF8(outcome.${name}, 2000) AS ${name}_shown`).join(", ")}`;

/** Reads what became of hits. @param flush delivers what was received */
export function outcomesOf(db: ServerDatabase, flush: () => Promise<void>) {
  let since = 0;
  return {
    async totals() {
      await flush();
      const [row] = await db.rows<{ total: number; good: number; bad: number }>(
        "SELECT count() AS total, countIf(NOT is_bad) AS good, countIf(is_bad) AS bad FROM hits.outcome FINAL WHERE number >= {since:UInt64}",
        { since },
      );
      return row ?? { total: 0, good: 0, bad: 0 };
    },
    async latest(kind: keyof typeof FILTERS, limit: number) {
      await flush();
      return db.rows<HitOutcome>(
        `SELECT * EXCEPT stored_at, toString(received) AS received FROM hits.outcome FINAL WHERE ${FILTERS[kind]} AND number >= {since:UInt64} ORDER BY number DESC LIMIT {limit:UInt32}`,
        { since, limit },
      );
    },
    async shown(limit: number) {
      await flush();
      return db.rows<Record<string, unknown>>(
        `SELECT ${SHOWN} FROM hits.outcome AS outcome FINAL WHERE number >= {since:UInt64} ORDER BY number DESC LIMIT {limit:UInt32}`,
        { since, limit },
      );
    },
    async reset() {
      await flush();
      const [row] = await db.rows<{ next: number }>(
        "SELECT ifNull(maxOrNull(number) + 1, 0) AS next FROM hits.outcome",
      );
      since = row?.next ?? 0;
    },
  };
}
