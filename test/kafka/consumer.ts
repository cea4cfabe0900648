import type { BrokerConnection } from "../../contract/broker.ts";
import type { Database, Params } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { ServerDatabase } from "../../warehouse/database/http.ts";
import { defineBroker } from "../../warehouse/epochs/named-collection.ts";
import { applyDdl, ddlFilesOf } from "../../warehouse/schema/ddl.ts";
import {
  type ContainerDatabase,
  DATABASE_SECRETS,
  startContainerDatabase,
} from "../support/container-database.ts";

/** The database of a stack; stores messages soon, because the tests wait for them. */
export class Consumer extends ServerDatabase {
  readonly database: ContainerDatabase;

  private constructor(database: ContainerDatabase) {
    super({ url: database.url, user: "default", password: DATABASE_SECRETS.clickhousePassword });
    this.database = database;
  }

  static async start(directory: string, connection: BrokerConnection): Promise<Consumer> {
    const db = new Consumer(await startContainerDatabase({ directory }));
    await defineBroker(db, connection);
    return db;
  }

  /** Variables of a command that uses the database. */
  get env(): Record<string, string> {
    return {
      CLICKHOUSE_URL: this.database.url,
      CLICKHOUSE_PASSWORD: DATABASE_SECRETS.clickhousePassword,
    };
  }

  override run(sql: string, params?: Params): Promise<void> {
    return super.run(sql.replace(/kafka_flush_interval_ms = \d+/, SOON), params);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.database.stop();
  }

  kill9(): Promise<void> {
    return this.database.stop("SIGKILL");
  }
}

const SOON = "kafka_flush_interval_ms = 300";

/** Starts a database that reads a broker's topics into `stg`. */
export async function openConsumer(
  directory: string,
  connection: BrokerConnection,
): Promise<Consumer> {
  const db = await Consumer.start(directory, connection);
  for (const { path, statements } of ddlFilesOf("broker")) {
    if (!/00_databases|10_stg/.test(path)) continue;
    for (const statement of statements) await db.run(statement);
  }
  return db;
}

/** The same database with every layer. */
export async function openWholeConsumer(
  directory: string,
  connection: BrokerConnection,
): Promise<Consumer> {
  const db = await Consumer.start(directory, connection);
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
     FROM (SELECT JSONExtractUInt(raw, 'n') AS n FROM stg.raw FINAL WHERE _topic = '${stream}_events')`,
  );
  return row ?? { stored: 0, distinct: 0, sum: 0 };
}

/** Value of `storedNumbers` when messages 0 to count - 1 are each stored exactly once. */
export const exactly = (count: number): StoredNumbers => ({
  stored: count,
  distinct: count,
  sum: (count * (count - 1)) / 2,
});
