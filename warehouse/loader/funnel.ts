import type { Funnel } from "../../contract/funnel.ts";
import type { Database } from "../../contract/ports.ts";

/** Stores the funnel of an epoch's data set; the next load of dm.session uses it. */
export const storeFunnel = (db: Database, epoch: number, funnel: Funnel): Promise<void> =>
  db.run("INSERT INTO stg.funnel (epoch, funnel) SELECT {epoch:UInt64}, {funnel:String}", {
    epoch,
    funnel: JSON.stringify(funnel),
  });
