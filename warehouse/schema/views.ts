import type { Database } from "../../contract/ports.ts";
import type { Difference } from "./compare.ts";
import { findDifferences } from "./differences.ts";

export const findDifferingViews = async (db: Database): Promise<Difference[]> =>
  (await findDifferences(db, "all")).filter(({ engine }) => engine.endsWith("View"));
