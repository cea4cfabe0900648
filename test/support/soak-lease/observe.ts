import type { Database } from "../../../contract/ports.ts";
import { waitForMutations } from "./commits.ts";

/** Returns whether a dead process still holds a lease, which the next run takes over. */
export async function isHeldBy(db: Database, pid: number): Promise<boolean> {
  const held = await db.rows(
    `SELECT id FROM stg.lease
     WHERE endsWith(owner, concat('process ', {pid:String})) AND id IN (
       SELECT toUInt64OrZero(extract(name, '^eventpipeline_lease_(\\\\d+)_')) FROM system.databases)`,
    { pid: String(pid) },
  );
  return held.length > 0;
}

/** Returns a text that changes with every row of the layers. */
export async function everything(db: Database): Promise<string> {
  await waitForMutations(db);
  const tables = await db.rows<{ name: string }>(
    `SELECT concat(database, '.', name) AS name FROM system.tables
     WHERE database IN ('stg', 'ods', 'dds', 'dm', 'dm_internal') AND engine LIKE '%MergeTree'
       AND (database, name) != ('stg', 'lease') ORDER BY name`,
  );
  const sums = await db.rows(
    tables
      .map(
        ({ name }) =>
          `SELECT '${name}' AS name, count() AS count, sum(sipHash64(tuple(*))) AS sum FROM ${name}`,
      )
      .join(" UNION ALL "),
  );
  return JSON.stringify(sums.map((sum) => JSON.stringify(sum)).toSorted());
}
