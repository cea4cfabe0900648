import type { Database } from "../../contract/ports.ts";
import { formatNumber } from "../../terminal/format.ts";
import { hintToRun } from "../database/command.ts";

/** Says how many messages were erased, and whether an erasure has not ended. */
export async function erasureNotes(db: Database): Promise<string[]> {
  const [found] = await db.rows<{ erased: number; open: number }>(
    // Anybody may send the text "erased".
    `SELECT (SELECT count() FROM merge('ods', '_event_errors$') WHERE has(markers, 'erased') AND (SELECT count() FROM stg.erasure) > 0) AS erased,
       (SELECT count() FROM stg.erasure FINAL WHERE finished_at IS NULL) AS open`,
  );
  const { erased = 0, open = 0 } = found ?? {};
  return [
    ...(erased > 0
      ? [
          `Erased: ${formatNumber(erased, "message")}, which count as rejected; a defect that was injected into one counts as missed.`,
        ]
      : []),
    ...(open > 0
      ? [`${formatNumber(open, "erasure")} did not end: ${hintToRun(db, "erase", "make erase")}.`]
      : []),
  ];
}
