import type { Database, ReadableDatabase } from "../contract/ports.ts";
import { DAY, isoMicros } from "../contract/time.ts";
import { runBackfill } from "../generator/backfill.ts";
import { catalogueDonors } from "../generator/catalogue/donors.ts";
import { parseConfig } from "../generator/config.ts";
import { DonorPool } from "../generator/model/donors.ts";
import type { StateV3 } from "../generator/model/state.ts";
import { withTemporaryWorkspace } from "../warehouse/database/open.ts";
import { StgPublisher } from "../warehouse/loader/stg-publisher.ts";
import { applyDdl } from "../warehouse/schema/ddl.ts";

const T0 = Date.UTC(2026, 0, 1) * 1000;

/** Approximate page events per model day at defaults. */
export const EVENTS_PER_DAY = 43_200;

export const withEngine = <T>(work: (db: ReadableDatabase) => Promise<T>): Promise<T> =>
  withTemporaryWorkspace(async (db) => {
    await applyDdl(db, "all");
    return work(db);
  });

/** Appends days of history. @param from state from the previous call */
export async function appendDays(db: Database, days: number, from?: StateV3): Promise<StateV3> {
  const start = from ? from.model_time_us : T0;
  const config = parseConfig({
    GEN_RUN_MODE: "backfill",
    GEN_MODEL_T_END: isoMicros(start + Math.round(days * DAY)),
  });
  const publisher = await StgPublisher.open(db);
  const donors = new DonorPool(catalogueDonors(config.seed));
  const { state } = await runBackfill(config, donors, publisher, from ? { from } : {});
  await publisher.close();
  return state;
}
