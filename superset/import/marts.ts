import { MartsMissing } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { datasets } from "../datasets.ts";

const ORDER =
  "make ddl, make generator-down (a load needs its topics), make data, make transform, make bi-init";

/** Returns the number of page events. @throws MartsMissing with the missing marts and the commands */
export async function requireMarts(db: Database): Promise<number> {
  const present = await db.rows<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'dm'",
  );
  const names = new Set(present.map(({ name }) => name));
  const missing = datasets.map(({ table }) => `dm.${table}`).filter((n) => !names.has(n.slice(3)));
  if (missing.length > 0) {
    throw new MartsMissing(
      `${db.label} lacks marts of the dashboard: ${missing.join(", ")}`,
      `run in this order: ${ORDER}`,
    );
  }
  const [counted] = await db.rows<{ rows: number }>(
    "SELECT toUInt32(count()) AS rows FROM dm.v_events_enriched",
  );
  return counted?.rows ?? 0;
}

export const EMPTY =
  "The marts are empty, and so are the charts. To load data, run make generator-down (a load needs its " +
  "topics), make data, make transform (in Airflow: broker_load, then etl_pipeline). In live mode make up " +
  "loads data. You need not repeat bi-init.";
