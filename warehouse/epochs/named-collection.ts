import { scryptSync } from "node:crypto";
import type { BrokerConnection } from "../../contract/broker.ts";
import type { Database } from "../../contract/ports.ts";
import { pauseConsumption, resumeConsumption } from "../ingest/consumption.ts";
import { literal } from "../sql.ts";
import { COLLECTION, collectionEntries } from "./collection-entries.ts";

const MARK = "mark_";

/** Defines the broker's named collection, unless the server's configuration files define it. */
export async function defineBroker(db: Database, connection: BrokerConnection): Promise<void> {
  const entries = collectionEntries(connection);
  const mark = markOf(entries);
  const [existing] = await db.rows<{ keys: string[] }>(
    "SELECT mapKeys(collection) AS keys FROM system.named_collections WHERE name = {name:String}",
    { name: COLLECTION },
  );
  const isForeign = existing && !existing.keys.some((key) => key.startsWith(MARK));
  if (isForeign || existing?.keys.includes(mark)) return;
  const paused = await pauseConsumption(db);
  // The statement takes no query parameters.
  const pairs = Object.entries({ ...entries, [mark]: "1" }).map(
    ([key, value]) => `\`${key}\` = ${literal(value)}`,
  );
  await db.run(`DROP NAMED COLLECTION IF EXISTS ${COLLECTION}`);
  await db.run(`CREATE NAMED COLLECTION ${COLLECTION} AS ${pairs.join(", ")}`);
  if (paused) await resumeConsumption(db);
}

/** Returns a key name that marks the entries: values are hidden. Hashing a password is slow. */
const markOf = (entries: Readonly<Record<string, string>>): string =>
  `${MARK}${scryptSync(JSON.stringify(entries), "event-pipeline", 8).toString("hex")}`;
