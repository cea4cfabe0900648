import type { Database } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { messageTables } from "../../warehouse/sql.ts";

/** Makes all stored messages so much older, as if they had come then. */
export async function age(db: Database, days: number): Promise<void> {
  const earlier = `ingested_at - INTERVAL ${days} DAY`;
  for (const table of STREAMS.map(messageTables).flatMap(({ typed, errors }) => [typed, errors])) {
    await db.run(
      `ALTER TABLE ods.${table} UPDATE ingested_at = ${earlier} WHERE true SETTINGS mutations_sync = 2`,
    );
  }
  await db.run("CREATE OR REPLACE TABLE stg.aged AS stg.raw");
  await db.run(`INSERT INTO stg.aged SELECT * REPLACE (${earlier} AS ingested_at) FROM stg.raw`);
  await db.run("EXCHANGE TABLES stg.aged AND stg.raw");
  await db.run("DROP TABLE stg.aged SYNC");
}
