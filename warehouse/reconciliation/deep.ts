import type { Database } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { DeepCheck } from "./deep/check.ts";
import type { DeepResult } from "./deep/result.ts";
import { findExpired } from "./deep/sources.ts";
import { readProgress } from "./progress.ts";

export type { DeepResult } from "./deep/result.ts";

/** Page events per join, which needs about 2 GiB. */
const SLICE_ROWS = 3_000_000;

/** Compares every column of every row. A layer that agrees is the source of the next layer. */
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
