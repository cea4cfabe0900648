import type { Database } from "../../contract/ports.ts";
import type { Tier } from "../sql.ts";
import { ddlFilesOf } from "./ddl.ts";
import { readSnapshot, type SchemaObject } from "./snapshot.ts";

export async function recordSchema(db: Database): Promise<(SchemaObject & { tier: Tier })[]> {
  await apply(db, "all");
  const everywhere = new Set((await readSnapshot(db)).map(({ object }) => object));
  await db.run(
    `CREATE NAMED COLLECTION IF NOT EXISTS kafka AS
     kafka_broker_list = 'localhost:9', kafka_format = 'RawBLOB'`,
  );
  await apply(db, "broker");
  return (await readSnapshot(db)).map((object) => ({
    ...object,
    tier: everywhere.has(object.object) ? "all" : "broker",
  }));
}

async function apply(db: Database, tier: Tier): Promise<void> {
  for (const file of ddlFilesOf(tier)) {
    for (const statement of file.statements) await db.run(statement);
  }
}
