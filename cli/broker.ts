import type { Admin } from "@platformatic/kafka";
import { Option } from "commander";
import { type BrokerConnection, readBrokerConnection } from "../contract/broker.ts";
import type { Database } from "../contract/ports.ts";
import { openDatabase } from "../warehouse/database/open.ts";

/** Database and broker of a command; what was opened is closed by `withBroker`. */
export interface Broker {
  readonly connection: BrokerConnection;
  readonly admin: Admin;
  readonly database: Database | null;
}

/** `--bootstrap`: which broker a command works with. */
export const bootstrapOption = (): Option =>
  new Option("--bootstrap <servers>", "Kafka broker, host:port; several separated by commas").env(
    "KAFKA_BOOTSTRAP_SERVERS",
  );

const AGAIN = "make doctor tells what ails the broker; then run the same command again";

/**
 * Opens broker and database, hands them to `work` and closes them whatever happens.
 * @param hint what to do when the broker fails in the midst of it
 * @throws UserError when the broker cannot be reached or fails, or a KAFKA_* variable is wrong
 */
export async function withBroker<T>(
  bootstrap: string | undefined,
  databaseTarget: string | undefined,
  work: (broker: Broker) => Promise<T>,
  hint: string = AGAIN,
): Promise<T> {
  const connection = connectionTo(bootstrap);
  const { openBroker } = await import("../kafka/client.ts");
  const admin = await openBroker(connection, "pipeline");
  let database: Database | null = null;
  try {
    database = databaseTarget ? await openDatabase(databaseTarget) : null;
    return await work({ connection, admin, database });
  } catch (error) {
    const { explainFailure } = await import("../kafka/failure.ts");
    throw explainFailure(error, connection, hint);
  } finally {
    await database?.close();
    await admin.close();
  }
}

const connectionTo = (bootstrap: string | undefined): BrokerConnection =>
  readBrokerConnection({
    ...process.env,
    ...(bootstrap ? { KAFKA_BOOTSTRAP_SERVERS: bootstrap } : {}),
  });

/**
 * Waits until a broker that is starting takes topics, `seconds` at most.
 * @throws UserError when it does not, or a KAFKA_* variable is wrong
 */
export async function awaitBroker(bootstrap: string | undefined, seconds: number): Promise<void> {
  const { untilStarted } = await import("../kafka/startup.ts");
  await untilStarted(connectionTo(bootstrap), seconds);
}

/** Copies what the broker's sources say of themselves to the database, where a broker is known. */
export async function syncFromBroker(db: Database): Promise<void> {
  const bootstrap = process.env.KAFKA_BOOTSTRAP_SERVERS;
  if (!bootstrap) return;
  const { syncSources } = await import("../warehouse/ledger/broker-sources.ts");
  await withBroker(bootstrap, undefined, ({ admin }) => syncSources(db, admin));
}
