import { MartsMissing } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { datasets } from "../datasets.ts";

const ORDER =
  "make ddl, make generator-down (a load takes the topics from it), make data, make transform, make bi-init";

export interface MartsState {
  /** Page events. */
  readonly rows: number;
  /** Whether a load has come through to its last step: visits and counts are there as well. */
  readonly isLoaded: boolean;
}

/**
 * What the marts hold; the charts need their definitions, not their rows.
 * @throws MartsMissing that names the missing ones and the commands in their order
 */
export async function requireMarts(db: Database): Promise<MartsState> {
  const present = await db.rows<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'dm'",
  );
  const names = new Set(present.map(({ name }) => name));
  const missing = datasets.map(({ table }) => `dm.${table}`).filter((n) => !names.has(n.slice(3)));
  if (missing.length > 0) {
    throw new MartsMissing(
      `${db.label} lacks what the dashboard reads: ${missing.join(", ")}.`,
      `in this order: ${ORDER}`,
    );
  }
  const [counted] = await db.rows<{ rows: number; others: number }>(
    `SELECT toUInt32(count()) AS rows,
       toUInt32(least((SELECT count() FROM dm.session), (SELECT count() FROM dm.dq_summary))) AS others
     FROM dm.v_events_enriched`,
  );
  const { rows = 0, others = 0 } = counted ?? {};
  return { rows, isLoaded: rows > 0 && others > 0 };
}

export const EMPTY =
  "The marts are empty, and so are the charts: make generator-down (a load takes the topics from it), " +
  "make data, make transform (the scheduler: broker_load, then etl_pipeline). Of a living stack make up " +
  "does all of it. They fill by themselves; bi-init need not run again.";
