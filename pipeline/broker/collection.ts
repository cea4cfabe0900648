import { scryptSync } from "node:crypto";
import type { BrokerConnection } from "../../contract/broker.ts";
import type { Database } from "../../contract/ports.ts";
import { pauseConsumption, resumeConsumption } from "./consumption.ts";

/** Named collection in which the Kafka-engine tables find their broker. */
export const COLLECTION = "kafka";

/** Beginning of the one key that only collections made here have. */
const MARK = "mark_";

/**
 * Settings of the consumers, in librdkafka's names with underscores (below the key `kafka` of the
 * collection). A consumer that died is missed after 10 s instead of 45: its heartbeats come from a
 * thread of their own, so a slow insert does not look like a death.
 * @public a server's configuration file states the same below `named_collections.kafka.kafka`
 */
export const CONSUMER_SETTINGS = {
  session_timeout_ms: "10000",
  heartbeat_interval_ms: "2000",
} as const;

/** Keys and values of the collection, flat, as SQL takes them. */
export function collectionEntries(connection: BrokerConnection): Record<string, string> {
  const { bootstrap, tls, sasl } = connection;
  const protocol = `${sasl ? "sasl_" : ""}${tls ? "ssl" : "plaintext"}`;
  return {
    kafka_broker_list: bootstrap.join(","),
    ...(tls || sasl ? { kafka_security_protocol: protocol } : {}),
    ...(sasl
      ? {
          kafka_sasl_mechanism: sasl.mechanism,
          kafka_sasl_username: sasl.username,
          kafka_sasl_password: sasl.password,
        }
      : {}),
    ...(tls?.ca ? { "kafka.ssl_ca_pem": tls.ca } : {}),
    ...Object.fromEntries(
      Object.entries(CONSUMER_SETTINGS).map(([name, value]) => [`kafka.${name}`, value]),
    ),
  };
}

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
