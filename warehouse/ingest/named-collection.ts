import { scryptSync } from "node:crypto";
import type { BrokerConnection } from "../../contract/broker.ts";
import type { Database } from "../../contract/ports.ts";
import { COLLECTION, collectionEntries } from "./collection-entries.ts";
import { pauseConsumption, resumeConsumption } from "./consumption.ts";

/** Beginning of the one key that only collections made here have. */
const MARK = "mark_";

/**
 * Tells the database where Kafka is. When something changed, tables that consume already are
 * reopened with the new values. A collection made elsewhere, as by the server's configuration files,
 * is left alone.
 */
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
  const pairs = Object.entries({ ...entries, [mark]: "1" }).map(
    ([key, value]) => `\`${key}\` = ${quote(value)}`,
  );
  await db.run(`DROP NAMED COLLECTION IF EXISTS ${COLLECTION}`);
  await db.run(`CREATE NAMED COLLECTION ${COLLECTION} AS ${pairs.join(", ")}`);
  await resumeConsumption(db, paused);
}

/**
 * Name of a key that stands for the values: the database hides values, not names. Reopening the
 * tables without need would stop them for a session timeout. Slow on purpose: a password is in it.
 */
const markOf = (entries: Readonly<Record<string, string>>): string =>
  `${MARK}${scryptSync(JSON.stringify(entries), "event-pipeline", 8).toString("hex")}`;

/** The statement takes no query parameters. */
const quote = (value: string): string =>
  `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
