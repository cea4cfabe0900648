import type { Manifest } from "../../../contract/manifest.ts";
import type { Database, Params } from "../../../contract/ports.ts";
import { type Micros, parseMicros } from "../../../contract/time.ts";
import { readQuery } from "../../sql.ts";
import type { HistoryModel } from "../model.ts";

export interface CheckContext {
  readonly db: Database;
  readonly epoch: number;
  readonly manifest: Manifest;
  readonly t0: Micros;
  readonly tEnd: Micros;
  readonly model: HistoryModel;
  readonly liveHandover: boolean;
}

export const contextOf = (parts: Omit<CheckContext, "t0" | "tEnd">): CheckContext => ({
  ...parts,
  t0: parseMicros(parts.manifest.t0),
  tEnd: parseMicros(parts.manifest.t_end),
});

/** Runs a query of sql/history with `epoch`, `t0`, `t_end` and `params`. */
export const ask = <T>(context: CheckContext, name: string, params: Params = {}): Promise<T[]> =>
  context.db.rows<T>(readQuery(`history/${name}.sql`), {
    epoch: context.epoch,
    t0: context.t0,
    t_end: context.tEnd,
    ...params,
  });

export async function askOne<T>(
  context: CheckContext,
  name: string,
  params: Params = {},
): Promise<T> {
  const [row] = await ask<T>(context, name, params);
  if (row === undefined) throw new Error(`history/${name}.sql returned no row`);
  return row;
}
