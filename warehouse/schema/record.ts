import type { Database } from "../../contract/ports.ts";
import type { Tier } from "../ddl-files.ts";
import type { DeclaredObject } from "../declared.ts";
import { ddlFilesOf } from "./ddl.ts";
import { readSnapshot } from "./snapshot.ts";

/** Creates the objects of every tier in an empty database and describes them. */
export async function recordSchema(db: Database): Promise<DeclaredObject[]> {
  await apply(db, "all");
  const all = await readSnapshot(db);
  const everywhere = new Set(all.map(({ object }) => object));
  await apply(db, "service");
  const service = await readTier(db, "service", everywhere);
  for (const { object } of service) await db.run(`DROP TABLE ${object} SYNC`);
  await db.run(
    `CREATE NAMED COLLECTION IF NOT EXISTS kafka AS
     kafka_broker_list = 'localhost:9', kafka_format = 'RawBLOB'`,
  );
  await apply(db, "broker");
  const shared = all.map((object): DeclaredObject => ({ ...object, tier: "all" }));
  const broker = await readTier(db, "broker", everywhere);
  return [...shared, ...broker, ...service].sort((a, b) => (a.object < b.object ? -1 : 1));
}

/** Describes the objects that only this tier has. */
async function readTier(
  db: Database,
  tier: Tier,
  everywhere: ReadonlySet<string>,
): Promise<DeclaredObject[]> {
  const found = await readSnapshot(db);
  return found
    .filter(({ object }) => !everywhere.has(object))
    .map((object) => ({ ...object, tier }));
}

async function apply(db: Database, tier: Tier): Promise<void> {
  for (const file of ddlFilesOf(tier)) {
    for (const statement of file.statements) await db.run(statement);
  }
}
