import type { Database } from "../../contract/ports.ts";
import type { Difference } from "./compare.ts";
import { findOwnDifferences } from "./differences.ts";

export const findDifferingViews = async (db: Database): Promise<Difference[]> =>
  (await findOwnDifferences(db, "all")).filter(({ engine }) => engine.endsWith("View"));
