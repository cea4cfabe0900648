import type { Database } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { DeepCheck } from "./deep/check.ts";
import type { DeepResult } from "./deep/result.ts";
import { findExpired } from "./deep/sources.ts";
import { readProgress } from "./progress.ts";

export type { DeepResult } from "./deep/result.ts";

/** Page events that are joined at once: about 2 GiB. */
const SLICE_ROWS = 3_000_000;

/**
 * Recomputes ods, dds and dm from the messages of stg that committed loads took, by the rules alone, and
 * compares every column of every row with what the batch process wrote. A layer that proves equal is what
 * the next one is computed from; where one differs, the next is computed from stg again.
 */
export async function proveDeep(db: Database, sliceRows = SLICE_ROWS): Promise<DeepResult> {
  const slices = 1 + Math.floor((await countPageMessages(db)) / sliceRows);
  const check = new DeepCheck(db, await findExpired(db), await readProgress(db), slices);
  await check.commits();
  for (const stream of STREAMS) await check.messages(stream);
  await check.dds();
  await check.dm();
  await check.summary();
  return check.result();
}

async function countPageMessages(db: Database): Promise<number> {
  const [row] = await db.rows<{ count: number }>("SELECT count() AS count FROM ods.browser_event");
  return row?.count ?? 0;
}
