import type { Admin } from "@platformatic/kafka";
import { Option } from "commander";
import { type BrokerConnection, readBrokerConnection } from "../contract/broker.ts";
import type { Database } from "../contract/ports.ts";
import { openDatabase } from "../warehouse/database/open.ts";
import type { Source } from "../warehouse/ledger/source.ts";

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

/**
 * Opens broker and database, then closes both.
 * @param hint for an error of `work`
 * @throws UserError
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
    const { explainFailure } = await import("../kafka/client.ts");
    throw await explainFailure(error, connection, hint);
  } finally {
    await database?.close();
    await admin.close();
  }
}

export const connectionTo = (bootstrap: string | undefined): BrokerConnection =>
  readBrokerConnection({
    ...process.env,
    ...(bootstrap ? { KAFKA_BOOTSTRAP_SERVERS: bootstrap } : {}),
  });

/** Waits for the broker. @throws UserError on a timeout, or for an invalid KAFKA_* variable */
export async function waitForBroker(bootstrap: string | undefined, seconds: number): Promise<void> {
  const { waitForStartup } = await import("../kafka/client.ts");
  await waitForStartup(connectionTo(bootstrap), seconds);
}

/** Reads the sources from the broker, if one is configured. Writes nothing. */
export async function readSourcesAtBroker(db: Database): Promise<Source[]> {
  const bootstrap = process.env.KAFKA_BOOTSTRAP_SERVERS;
  if (!bootstrap) return [];
  const { sourcesAtBroker } = await import("../warehouse/ledger/broker-sources.ts");
  return withBroker(bootstrap, undefined, ({ admin }) => sourcesAtBroker(db, admin));
}
