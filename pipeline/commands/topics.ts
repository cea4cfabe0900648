import type { Command } from "commander";
import { type BrokerConnection, readBrokerConnection } from "../../contract/broker.ts";
import type { Database } from "../../contract/ports.ts";
import { openBroker } from "../../generator/adapters/kafka-client.ts";
import { defineBroker } from "../broker/collection.ts";
import { ensureTopics } from "../broker/manage.ts";
import { openDatabase } from "../database/open.ts";
import { printLine } from "./options.ts";

export function registerTopics(program: Command): void {
  program
    .command("topics")
    .description("Create the topics and put their settings right; changes nothing when repeated")
    .addHelpText(
      "after",
      "\nKAFKA_BOOTSTRAP_SERVERS names the broker. Where CLICKHOUSE_URL is set, that database is told" +
        "\nits broker (KAFKA_DATABASE_BOOTSTRAP_SERVERS, if it reaches it by another address) and the epoch.",
    )
    .action(topics);
}

async function topics(): Promise<void> {
  const connection = readBrokerConnection(process.env);
  const admin = await openBroker(connection, "pipeline-topics");
  const url = process.env.CLICKHOUSE_URL;
  const database = url ? await openDatabase(url) : null;
  try {
    if (database) await defineBroker(database, asSeenByDatabase(connection));
    const { created, altered, epoch } = await ensureTopics(admin, { database });
    printLine(
      `Topics ready: ${created.length} created, ${altered.length} altered, epoch ${epoch}.`,
    );
  } finally {
    await (database as Database | null)?.close();
    await admin.close();
  }
}

const asSeenByDatabase = (connection: BrokerConnection): BrokerConnection => {
  const servers = process.env.KAFKA_DATABASE_BOOTSTRAP_SERVERS;
  return servers ? { ...connection, bootstrap: servers.split(",") } : connection;
};
