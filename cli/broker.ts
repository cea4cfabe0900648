import type { Admin } from "@platformatic/kafka";
import { Option } from "commander";
import { type BrokerConnection, readBrokerConnection } from "../contract/broker.ts";
import type { Database } from "../contract/ports.ts";
import { openDatabase } from "../warehouse/database/open.ts";

export interface Broker {
  readonly connection: BrokerConnection;
  readonly admin: Admin;
  readonly database: Database | null;
}

export const bootstrapOption = (): Option =>
  new Option("--bootstrap <servers>", "Kafka broker, host:port; several separated by commas").env(
    "KAFKA_BOOTSTRAP_SERVERS",
  );

const AGAIN = "run `make doctor` to diagnose the broker, then retry";

/** Closes both in any case. @param hint for a failure during `work` @throws UserError */
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

/** @throws UserError when it does not start in time, or a KAFKA_* variable is invalid */
export async function awaitBroker(bootstrap: string | undefined, seconds: number): Promise<void> {
  const { untilStarted } = await import("../kafka/startup.ts");
  await untilStarted(connectionTo(bootstrap), seconds);
}

/** Copies the source statements from the broker to the database, if a broker is configured. */
export async function syncFromBroker(db: Database): Promise<void> {
  const bootstrap = process.env.KAFKA_BOOTSTRAP_SERVERS;
  if (!bootstrap) return;
  const { syncSources } = await import("../warehouse/ledger/broker-sources.ts");
  await withBroker(bootstrap, undefined, ({ admin }) => syncSources(db, admin));
}
