import type { Database } from "../../contract/ports.ts";
import { compareSchema, type Difference } from "./compare.ts";
import { readSnapshot } from "./snapshot.ts";

export const findDifferingViews = async (db: Database): Promise<Difference[]> =>
  compareSchema(await readSnapshot(db), "all").filter(({ engine }) => engine.endsWith("View"));
