import { setTimeout as sleep } from "node:timers/promises";
import { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../contract/broker.ts";
import { CHECK_OWN, clientOptions, unreachable } from "./client.ts";
import { BrokerError, isTransient, reasonOf } from "./errors.ts";

const RETRY_MS = 200;
const NO_BROKER = new BrokerError("no broker is available for new topics", "");

/** Waits for the broker; permanent errors fail at once. @throws BrokerError after `seconds` */
export async function waitForStartup(connection: BrokerConnection, seconds: number): Promise<void> {
  const admin = new Admin({ ...clientOptions(connection, "pipeline"), retries: 0 });
  try {
    for (const deadline = Date.now() + seconds * 1000; ; await sleep(RETRY_MS)) {
      const obstacle = await obstacleOf(admin);
      if (obstacle === null) return;
      if (obstacle !== NO_BROKER && !isTransient(obstacle)) throw unreachable(connection, obstacle);
      if (Date.now() > deadline) throw notStarted(connection, seconds, obstacle);
    }
  } finally {
    await admin.close();
  }
}

const notStarted = (connection: BrokerConnection, seconds: number, obstacle: unknown) =>
  new BrokerError(
    `Kafka at ${connection.bootstrap.join(",")} has not started within ${seconds} s: ${reasonOf(obstacle)}`,
    connection.tls || connection.sasl
      ? CHECK_OWN
      : "run make logs SERVICE=broker to see the reason, then retry",
    obstacle,
  );

async function obstacleOf(admin: Admin): Promise<unknown> {
  try {
    const { brokers } = await admin.metadata({ topics: [], forceUpdate: true });
    return brokers.size > 0 ? null : NO_BROKER;
  } catch (error) {
    return error;
  }
}
