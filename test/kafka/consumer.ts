import type { BrokerConnection } from "../../contract/broker.ts";
import type { Database, Params } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { EmbeddedEngine } from "../../embedded/engine.ts";
import { defineBroker } from "../../warehouse/epochs/named-collection.ts";
import { applyDdl, ddlFilesOf } from "../../warehouse/schema/ddl.ts";

/** Stores messages soon, because the tests wait for them. */
class QuickReader extends EmbeddedEngine {
  override run(sql: string, params?: Params): Promise<void> {
    return super.run(sql.replace(/kafka_flush_interval_ms = \d+/, SOON), params);
  }
}

const SOON = "kafka_flush_interval_ms = 300";

/** The embedded engine on a data directory, reading a broker's topics into `stg`. */
export async function openConsumer(
  directory: string,
  connection: BrokerConnection,
): Promise<EmbeddedEngine> {
  const db = new QuickReader(directory);
  await defineBroker(db, connection);
  for (const { path, statements } of ddlFilesOf("broker")) {
    if (!/00_databases|10_stg/.test(path)) continue;
    for (const statement of statements) await db.run(statement);
  }
  return db;
}

/** The same engine with every layer. */
export async function openWholeConsumer(
  directory: string,
  connection: BrokerConnection,
): Promise<EmbeddedEngine> {
  const db = new QuickReader(directory);
  await defineBroker(db, connection);
  await applyDdl(db, "broker");
  return db;
}

export interface StoredNumbers {
  readonly stored: number;
  readonly distinct: number;
  readonly sum: number;
}

/** Numbers of the `numbered` messages in `stg`, without redelivered ones. */
export async function storedNumbers(db: Database, stream: StreamName): Promise<StoredNumbers> {
  const [row] = await db.rows<StoredNumbers>(
    `SELECT count() AS stored, uniqExact(n) AS distinct, sum(n) AS sum
     FROM (SELECT JSONExtractUInt(raw, 'n') AS n FROM stg.${stream}_raw FINAL)`,
  );
  return row ?? { stored: 0, distinct: 0, sum: 0 };
}

/** Value of `storedNumbers` when messages 0 to count - 1 are each stored exactly once. */
export const exactly = (count: number): StoredNumbers => ({
  stored: count,
  distinct: count,
  sum: (count * (count - 1)) / 2,
});
